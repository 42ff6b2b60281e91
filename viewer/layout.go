package viewer

import (
	"slices"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/viewer/wire"
)

// layout is the topics of a camera for Foxglove's clients, the same as in a recording of
// the camera. A nil layout has none.
type layout struct {
	*topics
	encoder *rslayout.Encoder
	streams map[camdriver.StreamID]*layoutStream
}

// layoutStream is a stream with its topics.
type layoutStream struct {
	*rslayout.Stream
	data     []*topic
	metadata *topic
}

func newLayout(g *camera, snap camdriver.DeviceSnapshot) *layout {
	l := &layout{encoder: rslayout.NewEncoder(snap), streams: make(map[camdriver.StreamID]*layoutStream)}
	types := make(map[string]msgs.Type)
	for _, m := range l.encoder.Static() {
		types[m.Topic] = m.Type
	}
	for _, s := range snap.Streams {
		if st := l.encoder.Stream(s.Profile.Stream); st != nil {
			l.streams[s.Profile.Stream] = &layoutStream{Stream: st}
			for _, t := range st.Topics() {
				types[t.Name] = t.Type
			}
		}
	}
	l.topics = newTopics(g, types)
	for _, st := range l.streams {
		st.metadata = l.byName[st.Metadata.Name]
		for _, t := range st.Data {
			st.data = append(st.data, l.byName[t.Name])
		}
	}
	for _, m := range l.encoder.Static() {
		t := l.byName[m.Topic]
		list := []msgs.Raw{m.Raw}
		if before := t.latched.Load(); before != nil {
			list = append(*before, m.Raw)
		}
		t.latched.Store(&list)
	}
	return l
}

func (g *camera) topicList() *topics {
	if g.layout == nil {
		return nil
	}
	return g.layout.topics
}

// frame sends a frame to the subscribers of its topics. at is its time.
func (l *layout) frame(sensor int, f *camdriver.Frame, at wire.Nanos) {
	if l == nil {
		return
	}
	st := l.streams[f.Stream()]
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
	if slices.ContainsFunc(st.data, (*topic).watched) {
		for i, m := range st.AppendData(nil, &msgs.Encoder{}, f) {
			show(st.data[i], m)
		}
	}
	if st.metadata.watched() {
		for _, m := range st.AppendMetadata(nil, &msgs.Encoder{}, f) {
			show(st.metadata, m)
		}
	}
}

// option replaces the value of an option.
func (l *layout) option(sensor int, id camdriver.OptionID, value float32) {
	if l == nil {
		return
	}
	m, ok := l.encoder.Option(sensor, id, value)
	if t := l.byName[m.Topic]; ok && t != nil {
		t.latched.Store(&[]msgs.Raw{m.Raw})
		t.show(m.Raw)
	}
}
