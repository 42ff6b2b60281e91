package ros2

import (
	"cmp"
	"slices"
	"strings"

	"rsros/ros2/internal/dds"
)

// Graph is what a node knows of its graph at one moment. It includes the node itself.
type Graph struct {
	Participants []ParticipantInfo
	Endpoints    []EndpointInfo // sorted by topic, then by GUID
}

// ParticipantInfo is a participant: usually a process.
type ParticipantInfo struct {
	dds.ParticipantInfo
	Nodes []string // full names; none if it isn't of ROS 2
}

// EndpointInfo is a publisher or a subscriber of a topic, or half of a service's server or client.
type EndpointInfo struct {
	GUID      GUID
	Node      string // full name; empty if it isn't known
	Topic     string // in ROS, or the service's name, or the topic of DDS if it is neither
	Service   bool   // it belongs to a server or a client
	Server    bool   // with Service
	Type      string // such as "sensor_msgs/msg/Image"; for a service that of the service
	Hash      string
	Publisher bool
	QoS       QoS
	UserData  string

	dds dds.Endpoint
}

// Mismatch returns why a subscriber of the same topic doesn't get a publisher's messages, or "" if it does.
func Mismatch(publisher, subscriber *EndpointInfo) string {
	return dds.Mismatch(&publisher.dds, &subscriber.dds)
}

// Graph returns what is known now.
func (n *Node) Graph() *Graph {
	list := n.p.Participants()
	g := &Graph{}
	n.mu.Lock()
	n.forgetInfos(list)
	nodes := map[GUID]string{}
	for _, p := range list {
		info := ParticipantInfo{ParticipantInfo: p}
		for _, node := range n.infos[p.GUID.Prefix()] {
			name := strings.TrimSuffix(node.namespace, "/") + "/" + node.name
			info.Nodes = append(info.Nodes, name)
			for _, e := range slices.Concat(node.readers, node.writers) {
				nodes[e] = name
			}
		}
		g.Participants = append(g.Participants, info)
	}
	own := dds.ParticipantInfo{GUID: n.p.GUID(), Name: "/", Enclave: n.config.Enclave}
	for e := range n.own {
		nodes[e] = n.FullName()
	}
	n.mu.Unlock()
	g.Participants = append(g.Participants, ParticipantInfo{own, []string{n.FullName()}})
	for _, e := range n.p.Endpoints() {
		g.Endpoints = append(g.Endpoints, endpointInfo(e, nodes[e.GUID]))
	}
	slices.SortFunc(g.Endpoints, func(a, b EndpointInfo) int {
		return cmp.Or(strings.Compare(a.Topic, b.Topic), slices.Compare(a.GUID[:], b.GUID[:]))
	})
	return g
}

// forgetInfos drops the nodes of participants that have gone. The caller holds n.mu.
func (n *Node) forgetInfos(present []dds.ParticipantInfo) {
	for prefix := range n.infos {
		if !slices.ContainsFunc(present, func(p dds.ParticipantInfo) bool { return p.GUID.Prefix() == prefix }) {
			delete(n.infos, prefix)
		}
	}
}

func endpointInfo(e dds.Endpoint, node string) EndpointInfo {
	name, kind := rosName(e.Topic)
	writes := e.GUID.Entity().IsWriter()
	i := EndpointInfo{
		GUID: e.GUID, Node: node, Topic: name, Type: rosType(e.Type), Hash: hashOf(e.UserData),
		Publisher: writes, QoS: e.QoS, UserData: e.UserData, dds: e,
	}
	switch kind {
	case requestTopic:
		i.Service, i.Server, i.Type = true, !writes, strings.TrimSuffix(i.Type, requestType)
	case replyTopic:
		i.Service, i.Server, i.Type = true, writes, strings.TrimSuffix(i.Type, responseType)
	}
	return i
}

// Topics returns the types of each topic, sorted.
func (g *Graph) Topics() map[string][]string { return g.types(false) }

// Services returns the types of each service that has a server, sorted.
func (g *Graph) Services() map[string][]string { return g.types(true) }

func (g *Graph) types(services bool) map[string][]string {
	list := map[string][]string{}
	for i := range g.Endpoints {
		e := &g.Endpoints[i]
		wanted := services && e.Server || !services && !e.Service && strings.HasPrefix(e.Topic, "/")
		if wanted && !slices.Contains(list[e.Topic], e.Type) {
			list[e.Topic] = append(list[e.Topic], e.Type)
			slices.Sort(list[e.Topic])
		}
	}
	return list
}

// Publishers returns the publishers of a topic.
func (g *Graph) Publishers(topic string) []EndpointInfo { return g.endpoints(topic, true) }

// Subscribers returns the subscribers of a topic.
func (g *Graph) Subscribers(topic string) []EndpointInfo { return g.endpoints(topic, false) }

func (g *Graph) endpoints(topic string, publishers bool) (list []EndpointInfo) {
	for _, e := range g.Endpoints {
		if e.Topic == topic && !e.Service && e.Publisher == publishers {
			list = append(list, e)
		}
	}
	return list
}

// Offered returns the QoS with which a subscriber gets the messages of all publishers, with a depth: reliable if all
// are, and transient local if all are.
func Offered(publishers []EndpointInfo, depth int) QoS {
	qos := QoS{Reliable: true, TransientLocal: true, Depth: depth}
	for i := range publishers {
		qos.Reliable = qos.Reliable && publishers[i].QoS.Reliable
		qos.TransientLocal = qos.TransientLocal && publishers[i].QoS.TransientLocal
	}
	return qos
}
