package recorded

import (
	"context"

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

func newConnections(snap camdriver.DeviceSnapshot) connections {
	connect := func(topic, typ string) []*bagstore.Connection {
		t := msgs.MustType(typ)
		return []*bagstore.Connection{{Topic: topic, Type: t.Name, MD5: t.MD5, Definition: t.Definition}}
	}
	c := connections{streams: make(map[camdriver.StreamID][]*bagstore.Connection), events: connect("/events", "diagnostic_msgs/KeyValue")}
	for _, s := range snap.Streams {
		id, typ := s.Profile.Stream, "sensor_msgs/Imu"
		if id.Kind.Video() {
			typ = "sensor_msgs/Image"
		}
		c.streams[id] = connect("/"+id.String(), typ)
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
type source struct{ *Device }

func (s source) Connections() []*bagstore.Connection {
	list := s.conns.events
	for _, c := range s.conns.streams {
		list = append(list[:len(list):len(list)], c...)
	}
	return list
}

// Count implements replay.Source. Only static messages would need it.
func (source) Count(*bagstore.Connection) uint64 { return 0 }

func (source) Settle(context.Context) error { return nil }
func (source) Skipped() uint64              { return 0 }

func (s source) View(q bagstore.Query) replay.View { return view{s.Device, q.End} }

// view is the whole recording up to a time, which is 0 for all.
type view struct {
	*Device
	until bagstore.Time
}

func (v view) Start() (bagstore.Time, bool) { return v.bagTime(0), true }
func (v view) End() (bagstore.Time, bool)   { return v.bagTime(v.Duration()), true }

func (v view) Iterator() replay.Iterator { return &iterator{view: v} }

type iterator struct {
	view
	cursor *rsbag.Cursor // nil before Seek
	event  rsbag.Event
	known  uint64 // damaged messages of the cursor that are counted
}

// Seek opens a cursor over the streams that are started.
func (it *iterator) Seek(t bagstore.Time) {
	it.Close()
	wanted := *it.wanted.Load()
	it.cursor, it.known = it.file.Cursor(rsbag.CursorOptions{Streams: func(id camdriver.StreamID) bool { return wanted[id] }}), 0
	it.cursor.Seek(it.fileTime(t))
}

func (it *iterator) SkipNext() bool { return it.Next() }

// Last returns false: nothing is latched, and devices don't step back.
func (*iterator) Last(bagstore.Time) (bool, error) { return false, nil }

func (it *iterator) Next() (ok bool) {
	if it.cursor == nil {
		it.Seek(it.bagTime(0))
	}
	it.event, ok = it.cursor.Next()
	if n, err := it.cursor.Damaged(); n > it.known {
		it.mu.Lock()
		it.damaged, it.damage = it.damaged+n-it.known, err
		it.mu.Unlock()
		it.known = n
	}
	return ok && (it.until == 0 || it.bagTime(it.event.Time) <= it.until)
}

func (it *iterator) Message() replay.Recorded {
	e := &event{it.event, it.Device}
	m := replay.Recorded{Deferred: e}
	m.Conn, m.Time = e.Connections()[0], it.bagTime(e.Time)
	return m
}

// Err is always nil: what can't be read is left out and counted.
func (it *iterator) Err() error { return nil }

func (it *iterator) Close() {
	if it.cursor != nil {
		it.cursor.Close()
	}
	it.cursor = nil
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
