package viewer

import (
	"slices"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/viewer/api"
)

// layout is the topics of a camera for Foxglove's clients, the same as in a recording of
// the camera. A nil layout has none.
type layout struct {
	*topics
	device  int // its number in the topics
	encoder *rslayout.Encoder
	streams map[camdriver.StreamID][]*topic // data first, metadata last
}

func newLayout(of stage, snap camdriver.DeviceSnapshot, device int) *layout {
	l := &layout{device: device, encoder: rslayout.NewEncoder(snap), streams: make(map[camdriver.StreamID][]*topic)}
	types := make(map[string]msgs.Type)
	for _, m := range l.encoder.Static() {
		types[l.name(m.Topic)] = m.Type
	}
	for _, s := range snap.Streams {
		for _, t := range l.encoder.Stream(s.Profile.Stream).Topics() {
			types[l.name(t.Name)] = t.Type
		}
	}
	l.topics = newTopics(of, types)
	for _, s := range snap.Streams {
		id := s.Profile.Stream
		for _, t := range l.encoder.Stream(id).Topics() {
			l.streams[id] = append(l.streams[id], l.byName[l.name(t.Name)])
		}
	}
	for _, m := range l.encoder.Static() {
		t := l.byName[l.name(m.Topic)]
		list := []msgs.Raw{m.Raw}
		if before := t.latched.Load(); before != nil {
			list = append(*before, m.Raw)
		}
		t.latched.Store(&list)
	}
	return l
}

// name returns the name of a topic that device 0 has as topic.
func (l *layout) name(topic string) string { return rslayout.DeviceTopic(l.device, topic) }

// frame sends a frame to the subscribers of its topics. at is its time.
func (l *layout) frame(sensor int, f *camdriver.Frame, at api.Nanos) {
	if l == nil {
		return
	}
	st, list := l.encoder.Stream(f.Stream()), l.streams[f.Stream()]
	if st == nil || st.Sensor != sensor {
		return
	}
	show := func(t *topic, m msgs.Raw) {
		m.Time = max(int64(at), 1) // 0 means now
		if len(m.Body) > 0 {
			m.Owner = f.Retain()
		}
		t.show(m)
	}
	if slices.ContainsFunc(list[:len(st.Data)], (*topic).watched) {
		for i, m := range st.AppendData(nil, &msgs.Encoder{}, f) {
			show(list[i], m)
		}
	}
	if metadata := list[len(st.Data)]; metadata.watched() {
		for _, m := range st.AppendMetadata(nil, &msgs.Encoder{}, f) {
			show(metadata, m)
		}
	}
}

// option replaces the value of an option.
func (l *layout) option(sensor int, id camdriver.OptionID, value float32) {
	if l == nil {
		return
	}
	m, ok := l.encoder.Option(sensor, id, value)
	if t := l.byName[l.name(m.Topic)]; ok && t != nil {
		t.latched.Store(&[]msgs.Raw{m.Raw})
		t.show(m.Raw)
	}
}
