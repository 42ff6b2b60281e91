package ros2

import (
	"rsros/msgs"
	"rsros/ros2/internal/dds"
	"rsros/ros2/internal/rtps"
)

const (
	infoTopic = "ros_discovery_info"
	infoType  = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"
	infoHash  = "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"
)

// Bounds of what a participant's ros_discovery_info may say.
const (
	maxNodes     = 1024
	maxInfoBytes = 1 << 20
)

// nodeInfo is a node of a participant.
type nodeInfo struct {
	namespace, name  string
	readers, writers []GUID
}

// openInfo publishes and follows which endpoints belong to which node.
func (n *Node) openInfo() (err error) {
	qos := dds.QoS{Reliable: true, TransientLocal: true, Depth: 1}
	hash := n.userData(infoHash)
	n.info, err = n.p.NewWriter(dds.WriterOptions{Topic: infoTopic, Type: infoType, QoS: qos, UserData: hash})
	if err != nil {
		return err
	}
	_, err = n.p.NewReader(dds.ReaderOptions{
		Topic: infoTopic, Type: infoType, QoS: qos, UserData: hash, MaxSample: maxInfoBytes, Callback: n.heardInfo,
	})
	n.publishInfo()
	return err
}

// publishInfo tells which endpoints are the node's.
func (n *Node) publishInfo() {
	n.mu.Lock()
	defer n.mu.Unlock()
	info := nodeInfo{namespace: n.config.Namespace, name: n.config.Name}
	for g := range n.own {
		if g.Entity().IsWriter() {
			info.writers = append(info.writers, g)
		} else {
			info.readers = append(info.readers, g)
		}
	}
	var e msgs.Encoder
	e.BeginCDR()
	g := n.p.GUID()
	e.Raw(g[:])
	e.Len(1)
	info.encode(&e)
	n.info.Write(msgs.Raw{Head: e.B, Key: infoTopic}, nil)
}

func (i *nodeInfo) encode(e *msgs.Encoder) {
	e.String(i.namespace)
	e.String(i.name)
	for _, list := range [][]GUID{i.readers, i.writers} {
		e.Len(len(list))
		for _, g := range list {
			e.Raw(g[:])
		}
	}
}

// heardInfo keeps what another participant says about its nodes.
func (n *Node) heardInfo(s *dds.Sample) {
	list, err := decodeInfo(s.Payload, s.Writer.Prefix())
	if err != nil {
		n.config.Log.Debug().Err(err).Stringer("from", s.Writer).Msg("malformed ros_discovery_info")
		return
	}
	n.mu.Lock()
	n.infos[s.Writer.Prefix()] = list
	n.mu.Unlock()
	n.changes.Set()
}

func decodeInfo(b []byte, prefix rtps.Prefix) ([]nodeInfo, error) {
	d := msgs.NewCDRDecoder(b)
	d.Raw(len(GUID{}))
	count := d.Len(16)
	var list []nodeInfo
	for i := 0; i < min(count, maxNodes) && d.Err() == nil; i++ {
		info := nodeInfo{namespace: d.String(), name: d.String()}
		for _, to := range []*[]GUID{&info.readers, &info.writers} {
			for range d.Len(len(GUID{})) {
				if raw := d.Raw(len(GUID{})); len(raw) == len(GUID{}) && rtps.Prefix(raw[:12]) == prefix {
					*to = append(*to, GUID(raw))
				}
			}
		}
		list = append(list, info)
	}
	return list, d.Err()
}
