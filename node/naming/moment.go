package naming

import (
	"rsros/bagstore"
	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/msgs"
)

// moment is a replay.Work: a set of frames, or a sample.
type moment struct {
	*msgs.Shared // of the entry
	*rssets.Entry
	source *Source
	run    *run
	united []msgs.Raw
	conns  []*bagstore.Connection
}

func (m *moment) Release() { m.Shared.Release() }

func (m *moment) Connections() []*bagstore.Connection { return m.conns }

func (m *moment) Size() int64 {
	if len(m.Set.Images) == 0 {
		return int64(len(m.Frame.Data))
	}
	size := int64(0)
	for _, img := range m.Set.Images {
		size += int64(len(img.Frame.Data))
	}
	return size
}

// Start publishes messages that needn't be computed at once, like a camera node.
func (m *moment) Start(wanted map[*bagstore.Connection]func(msgs.Raw), recall bool) {
	s := m.source
	now, later := make(receivers), make(receivers)
	for c, deliver := range wanted {
		if out := s.outlets[c]; out.computed {
			later[out] = deliver
		} else {
			now[out] = deliver
		}
	}
	now.open()
	defer now.close()
	if len(m.Set.Images) == 0 {
		s.streams[m.Frame.Stream()].publish(m.Frame, s.stamps.Stamp(m.Frame), nil)
		for _, sample := range m.united {
			if out := s.outlets[s.imu]; out.Wanted() {
				out.Publish(sample)
			}
		}
		return
	}
	stamp := s.stamps.Stamp(m.Set.Images[0].Frame)
	s.layout.publish(s.streams, &m.Set, stamp, len(later) > 0)
	if len(later) == 0 {
		m.run.gap = true
		return
	}
	j := s.worker.job(&m.Set, stamp, m.run)
	j.asked, j.alone = later, recall
	s.worker.sets.Put(j)
}

// receivers are the receivers of messages, by outlet.
type receivers map[*callbackOutlet]func(msgs.Raw)

func (r receivers) open() {
	for out, deliver := range r {
		out.deliver = deliver
	}
}

func (r receivers) close() {
	for out := range r {
		out.deliver = nil
	}
}

// callbackOutlet is an outlet that passes messages to deliver, unless it is nil.
type callbackOutlet struct {
	stream   camdriver.StreamID // of the frames
	computed bool               // by the worker, whose goroutine uses the outlet
	deliver  func(msgs.Raw)
}

func (o *callbackOutlet) Wanted() bool       { return o.deliver != nil }
func (o *callbackOutlet) Publish(m msgs.Raw) { o.deliver(m) }
