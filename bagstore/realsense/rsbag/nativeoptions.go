package rsbag

import (
	"path"
	"slices"
	"sort"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

type nativeChange struct {
	at     bagstore.Time
	sensor int
	OptionChange
}

// from returns the index of the first change at or after a time.
func (n *native) from(at bagstore.Time) int {
	return sort.Search(len(n.changes), func(i int) bool { return n.changes[i].at >= at })
}

// topicNativeOptions is the kind of a camera node's topics with options.
const topicNativeOptions rslayout.TopicKind = 0xff

const maxChanges = 100_000

// nativeOptions reads options from parameters of ROS 2 or dynamic_reconfigure. The first value of
// each is its initial value.
func (d *description) nativeOptions() {
	f, others := d.f, 0
	var conns []uint32
	for _, c := range f.bag.Connections() {
		_, updates := rslayout.UpdatedNode(c.Topic)
		if c.Type == "rcl_interfaces/ParameterEvent" || updates && c.MD5 == msgs.MustType("dynamic_reconfigure/Config").MD5 {
			conns = append(conns, c.ID)
		}
	}
	if conns == nil {
		return
	}
	last := make(map[optionKey]float32)
	f.eachOf(aboutCamera, conns, func(m bagstore.Message) bool {
		list, n, err := f.nativeParameters(m)
		others += n
		if err != nil {
			f.leave("%s: %v", m.Conn.Topic, err)
		}
		for _, o := range list {
			sensor := slices.Index(f.native.names, o.Sensor)
			if sensor < 0 {
				others++
				continue
			}
			key := optionKey{sensor, o.ID}
			if v, known := last[key]; known && v == o.Value {
				continue
			}
			if _, known := last[key]; !known {
				d.sensor(sensor).options[o.ID] = o.Value
			} else if len(f.native.changes) == maxChanges {
				f.leave("changes of options after the first %d", maxChanges)
				return false
			} else {
				f.native.changes = append(f.native.changes, nativeChange{m.Time, sensor, OptionChange{o.ID, o.Value}})
				f.topics[m.Conn.ID] = rslayout.Topic{Kind: topicNativeOptions}
			}
			last[key] = o.Value
		}
		return true
	})
	for _, c := range conns {
		f.native.used[c] = true
	}
	if others > 0 {
		f.leave("%d parameters of nodes that are no options of the camera's sensors", others)
	}
}

func (f *File) nativeParameters(m bagstore.Message) ([]rslayout.NodeOption, int, error) {
	if prefix, updates := rslayout.UpdatedNode(m.Conn.Topic); updates {
		list, others, err := rslayout.ParseUpdates(m.Conn.Topic, m.Data)
		if !f.inCamera(prefix) {
			return nil, others + len(list), err
		}
		return list, others, err
	}
	node, list, others, err := rslayout.ParseParameterEvent(m.Data)
	// The node /camera/camera has the topics /camera/camera/depth/…, and before its version 4.55 /camera/depth/….
	mine := f.inCamera(node + "/")
	if owner := ownerOf(f.cameras, node+"/"); owner == "" || owner == f.camera.Name {
		mine = mine || f.inCamera(strings.TrimSuffix(path.Dir(node), "/")+"/")
	}
	if !mine {
		return nil, others + len(list), err
	}
	return list, others, err
}

func (f *File) inCamera(prefix string) bool {
	names := f.native.sorted
	i, _ := slices.BinarySearch(names, prefix)
	return i < len(names) && strings.HasPrefix(names[i], prefix)
}

// nativeOption adds all option changes of the instant, for the first of its messages.
func (a *assembler) nativeOption(m bagstore.Message) {
	if a.changed {
		return
	}
	a.changed = true
	for _, c := range a.f.native.changes[a.f.native.from(m.Time):] {
		if c.at > m.Time {
			return
		}
		a.events = append(a.events, a.event(Event{Sensor: c.sensor, Option: &OptionChange{c.ID, c.Value}}))
	}
}

// optionAt returns the last value of an option at or before a time in the bag.
func (n *native) optionAt(sensor int, id camdriver.OptionID, at bagstore.Time) (v float32, ok bool) {
	for _, c := range slices.Backward(n.changes[:n.from(at+1)]) {
		if c.sensor == sensor && c.ID == id {
			return c.Value, true
		}
	}
	return 0, false
}
