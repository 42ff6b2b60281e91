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
	streams map[camdriver.StreamID][]*topic // data first, metadata last
}

func newLayout(g *camera, snap camdriver.DeviceSnapshot) *layout {
	l := &layout{encoder: rslayout.NewEncoder(snap), streams: make(map[camdriver.StreamID][]*topic)}
	types := make(map[string]msgs.Type)
	for _, m := range l.encoder.Static() {
		types[m.Topic] = m.Type
	}
	names := make(map[camdriver.StreamID][]string)
	for _, s := range snap.Streams {
		id := s.Profile.Stream
		names[id], _ = l.encoder.Stream(id)
		for _, name := range names[id] {
			types[name], _ = rslayout.TopicType(name)
		}
	}
	l.topics = newTopics(g, types)
	for id, list := range names {
		for _, name := range list {
			l.streams[id] = append(l.streams[id], l.byName[name])
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
	if l == nil || len(l.streams[f.Stream()]) == 0 {
		return
	}
	emit := func(m rslayout.Message) {
		m.Time = max(int64(at), 1) // 0 means now
		if len(m.Body) > 0 {
			f.Retain()
			m.Owner = f
		}
		l.byName[m.Topic].show(m.Raw)
	}
	list := l.streams[f.Stream()]
	data, metadata := list[:len(list)-1], list[len(list)-1]
	if slices.ContainsFunc(data, (*topic).watched) {
		l.encoder.Data(sensor, f, emit)
	}
	if metadata.watched() {
		l.encoder.Metadata(sensor, f, emit)
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
