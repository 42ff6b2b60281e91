package rsbag

import (
	"bytes"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

// The topic of static transforms.
const (
	topicTree = "/tf_static"
	typeTree  = "tf2_msgs/TFMessage"
)

// nativeCalibrations reads topics of realsense2_camera's own types: extrinsics, which are more
// precise than /tf_static, and calibrations of inertial sensors.
func (d *description) nativeCalibrations() {
	f := d.f
	streams := f.native.siblings("imu_info")
	for _, c := range f.bag.Connections() {
		switch {
		case strings.HasSuffix(c.Type, "/Extrinsics"):
			prefix, from, to, ok := rslayout.NodePair(c.Topic)
			if base, s := d.streams[from], d.streams[to]; ok && base != nil && s != nil && f.ofCamera(prefix, from, to) {
				f.eachOf(aboutCamera, []uint32{c.ID}, func(m bagstore.Message) bool { d.nativePlace(base, s, m); return false })
			}
		case strings.HasSuffix(c.Type, "/IMUInfo"):
			for _, id := range streams[c.Topic] {
				if s := d.streams[id]; s != nil && id.Kind.Inertial() {
					f.eachOf(aboutCamera, []uint32{c.ID}, func(m bagstore.Message) bool { d.nativeMotion(s, m); return false })
				}
			}
		}
	}
}

// ofCamera reports whether the topics of all these streams begin with prefix.
func (f *File) ofCamera(prefix string, ids ...camdriver.StreamID) bool {
	return !slices.ContainsFunc(ids, func(id camdriver.StreamID) bool {
		return !strings.HasPrefix(f.native.topics[id], prefix)
	})
}

func (d *description) nativePlace(base, s *stream, m bagstore.Message) {
	e, err := rslayout.NodeExtrinsics(m.Data)
	if err != nil {
		d.f.leave("%s: %v", m.Conn.Topic, err)
		return
	}
	root := m.Conn.Topic
	for known := range base.tf {
		root = known
	}
	if len(base.tf) == 0 {
		root = base.profile.Stream.String()
		base.tf[root] = camdriver.Identity()
	}
	s.tf[root] = base.tf[root].Then(e)
	d.f.native.used[m.Conn.ID] = true
}

func (d *description) nativeMotion(s *stream, m bagstore.Message) {
	in, err := rslayout.NodeMotion(m.Data)
	if err != nil {
		d.f.leave("%s: %v", m.Conn.Topic, err)
		return
	}
	s.imu = rslayout.ImuIntrinsic(&in)
	d.f.native.used[m.Conn.ID] = true
}

// Contains reports whether the description or a frame contains what a message of [File.Uncovered] says.
func (f *File) Contains(m bagstore.Message) bool {
	n := f.native
	if n == nil {
		return false
	}
	if first, is := n.about[m.Conn.ID]; is {
		return bytes.Equal(withoutHeader(m.Data), first)
	}
	if _, is := n.metadata[m.Conn.ID]; is || n.used[m.Conn.ID] {
		return true // see Cursor.Unmatched
	}
	if m.Conn.Topic != topicTree || m.Conn.MD5 != msgs.MustType(typeTree).MD5 {
		return false
	}
	var list msgs.TFMessage
	unknown := func(t msgs.TransformStamped) bool { return !n.links[strings.TrimPrefix(t.ChildFrameID, "/")] }
	return msgs.Unmarshal(m.Data, &list) == nil && !slices.ContainsFunc(list.Transforms, unknown)
}

// withoutHeader returns a copy of a message without its std_msgs/Header.
func withoutHeader(message []byte) []byte {
	d := msgs.NewDecoder(message)
	var h msgs.Header
	h.Decode(d)
	return bytes.Clone(d.Rest())
}
