package naming

import (
	"rsros/bagstore"
	"rsros/bagstore/realsense/rssets"
	"rsros/camdriver"
	"rsros/msgs"
)

// deferredEntry is a replay.Deferred: a set of frames, or a sample.
type deferredEntry struct {
	*msgs.Shared // of the entry, which the worker may still use when the player has gone on
	*rssets.Entry
	source *Source
	run    *run       // since the last seek: blocks forget earlier sets
	united []msgs.Raw // a sample's part of the messages with both gyro and accel
	conns  []*bagstore.Connection
}

func (m *deferredEntry) Release() { m.Shared.Release() }

func (m *deferredEntry) Connections() []*bagstore.Connection { return m.conns }

func (m *deferredEntry) Size() int64 {
	if len(m.Set.Images) == 0 {
		return int64(len(m.Frame.Data))
	}
	size := int64(0)
	for _, img := range m.Set.Images {
		size += int64(len(img.Frame.Data))
	}
	return size
}

// Start publishes at once, like a camera node, what is encoded from a frame alone. The worker computes what
// needs the whole set: it may take longer than a frame's interval, which must not delay the images.
func (m *deferredEntry) Start(wanted map[*bagstore.Connection]func(msgs.Raw), recall bool) {
	s := m.source
	now, later := make(receivers), make(receivers)
	for c, deliver := range wanted {
		if out := s.sinks[c]; out.computed {
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
			if out := s.sinks[s.imu]; out.Wanted() {
				out.Publish(sample)
			}
		}
		return
	}
	stamp := s.stamps.Stamp(m.Set.Images[0].Frame)
	s.layout.publish(s.streams, &m.Set, stamp, len(later) > 0)
	if len(later) == 0 {
		m.run.gap = true // blocks with a history must not use sets from before
		return
	}
	j := s.worker.job(&m.Set, stamp, m.run)
	j.asked, j.alone = later, recall
	s.worker.sets.Put(j)
}

// receivers are the receivers of messages, by sink. While they are open, the sinks of a stream's other topics aren't
// wanted, so those messages aren't encoded.
type receivers map[*callbackSink]func(msgs.Raw)

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

// callbackSink is a sink that passes messages to deliver, unless it is nil.
type callbackSink struct {
	stream   camdriver.StreamID // of the frames
	computed bool               // by the worker, whose goroutine uses the sink
	deliver  func(msgs.Raw)
}

func (o *callbackSink) Wanted() bool       { return o.deliver != nil }
func (o *callbackSink) Publish(m msgs.Raw) { o.deliver(m) }
