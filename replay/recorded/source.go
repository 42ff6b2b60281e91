package recorded

import (
	"context"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/program/buffers"
	"rsros/replay"
)

// connections has a connection for each stream, and one for changes of options and for
// notifications. A player distinguishes streams of images by their type.
type connections struct {
	streams map[camdriver.StreamID][]*bagstore.Connection // one of each
	events  []*bagstore.Connection                        // one
}

func newConnections(snap camdriver.DeviceSnapshot, prefix string) connections {
	connect := func(topic, typ string) []*bagstore.Connection {
		t := msgs.MustType(typ)
		return []*bagstore.Connection{{Topic: topic, Type: t.Name, MD5: t.MD5, Definition: t.Definition}}
	}
	c := connections{
		streams: make(map[camdriver.StreamID][]*bagstore.Connection),
		events:  connect(prefix+"/events", "diagnostic_msgs/KeyValue"),
	}
	for _, s := range snap.Streams {
		id, typ := s.Profile.Stream, "sensor_msgs/Imu"
		if id.Kind.Video() {
			typ = "sensor_msgs/Image"
		}
		c.streams[id] = connect(prefix+"/"+id.String(), typ)
	}
	return c
}

// of returns the connection of an event, in a list.
func (c *connections) of(e *rsbag.Event) []*bagstore.Connection {
	if e.Frame == nil {
		return c.events
	}
	return c.streams[e.Frame.Stream()]
}

// source is a replay.Source with the events of the started streams, in time order. Each raises
// itself when it is due.
type source struct{ *group }

func (s source) Connections() (list []*bagstore.Connection) {
	for _, d := range s.devices {
		list = append(list, d.conns.events...)
		for _, c := range d.conns.streams {
			list = append(list, c...)
		}
	}
	return list
}

// Count implements replay.Source. Only static messages would need it.
func (source) Count(*bagstore.Connection) uint64 { return 0 }

func (source) Settle(context.Context) error { return nil }
func (source) Skipped() uint64              { return 0 }

func (s source) View(q bagstore.Query) replay.View { return view{s.group, q.End} }

// view is the whole recording up to a time, which is 0 for all.
type view struct {
	*group
	until bagstore.Time
}

func (v view) Start() (bagstore.Time, bool) { return v.bagTime(0), true }
func (v view) End() (bagstore.Time, bool)   { return v.bagTime(v.Duration()), true }

func (v view) Iterator() replay.Iterator { return &iterator{view: v} }

// iterator merges the events of the devices.
type iterator struct {
	view
	parts []*part // nil before Seek; then those that have an event
	at    *part   // that of the event Next moved to; nil before it
}

// part is the events of one device.
type part struct {
	*Device
	cursor *rsbag.Cursor
	event  rsbag.Event
	known  uint64 // damaged messages of the cursor that are counted
}

// time is the player's time of the event.
func (p *part) time() bagstore.Time { return p.bagTime(p.offset + p.event.Time) }

// next moves to the next event.
func (p *part) next() (ok bool) {
	p.event, ok = p.cursor.Next()
	if n, err := p.cursor.Damaged(); n > p.known {
		p.mu.Lock()
		p.damaged, p.damage = p.damaged+n-p.known, err
		p.mu.Unlock()
		p.known = n
	}
	return ok
}

// Seek opens cursors over the streams that are started.
func (it *iterator) Seek(t bagstore.Time) {
	it.Close()
	it.parts = []*part{}
	for _, d := range it.devices {
		wanted := *d.wanted.Load()
		started := func(id camdriver.StreamID) bool { return wanted[id] }
		p := &part{Device: d, cursor: d.file.Cursor(rsbag.CursorOptions{Streams: started})}
		p.cursor.Seek(it.position(t) - d.offset)
		it.advance(p)
	}
}

// advance adds a part again if it has another event; otherwise it ends.
func (it *iterator) advance(p *part) {
	if p.next() {
		it.parts = append(it.parts, p)
	} else {
		p.cursor.Close()
	}
}

func (it *iterator) SkipNext() bool { return it.Next() }

// Last returns false: nothing is latched, and devices don't step back.
func (*iterator) Last(bagstore.Time) (bool, error) { return false, nil }

func (it *iterator) Next() bool {
	if it.parts == nil {
		it.Seek(it.bagTime(0))
	}
	if p := it.at; p != nil {
		it.at = nil
		it.advance(p)
	}
	if len(it.parts) == 0 {
		return false
	}
	first := 0
	for i, p := range it.parts {
		if p.time() < it.parts[first].time() {
			first = i
		}
	}
	it.at = it.parts[first]
	it.parts = slices.Delete(it.parts, first, first+1)
	return it.until == 0 || it.at.time() <= it.until
}

func (it *iterator) Message() replay.Recorded {
	e := &event{it.at.event, it.at.Device}
	m := replay.Recorded{Deferred: e}
	m.Conn, m.Time = e.Connections()[0], it.at.time()
	return m
}

// Err is always nil: what can't be read is left out and counted.
func (it *iterator) Err() error { return nil }

func (it *iterator) Close() {
	if it.at != nil {
		it.parts = append(it.parts, it.at)
	}
	for _, p := range it.parts {
		p.cursor.Close()
	}
	it.parts, it.at = nil, nil
}

// event is a replay.Deferred that raises an event of the recording.
type event struct {
	rsbag.Event
	device *Device
}

func (e *event) Connections() []*bagstore.Connection { return e.device.conns.of(&e.Event) }

func (e *event) Start(wanted map[*bagstore.Connection]func(msgs.Raw), _ bool) {
	if !e.device.raise(e.Event) {
		return
	}
	for _, count := range wanted {
		count(msgs.Raw{Body: e.Frame.Data})
	}
}

// Size implements replay.Deferred.
func (e *event) Size() int64 {
	if e.Frame == nil {
		return 0
	}
	return int64(len(e.Frame.Data))
}

// Retain implements replay.Deferred.
func (e *event) Retain() buffers.Releaser {
	if e.Frame == nil {
		return nothing{}
	}
	return e.Frame.Retain()
}

type nothing struct{}

func (nothing) Release() {}
