package rsbag

import (
	"errors"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
)

// Copier writes a recording whose file times are known, such as those of a [Cursor].
// Its methods are for one goroutine; after an error all fail with it.
type Copier struct {
	sink
	last  map[camdriver.StreamID]bagstore.Time
	moved uint64
}

// Moved is how many frames got another time than they had.
func (c *Copier) Moved() uint64 { return c.moved }

// Left lists what of the device's description the file doesn't hold, see [Encoder.Left].
func (c *Copier) Left() []string { return c.enc.Left() }

// NewCopier creates the file and writes the description and the facts.
func NewCopier(path string, snap camdriver.DeviceSnapshot, o bagstore.Options, facts []rslayout.Message) (*Copier, error) {
	out, err := newSink(path, snap, o)
	if err != nil {
		return nil, err
	}
	c := &Copier{sink: out, last: make(map[camdriver.StreamID]bagstore.Time)}
	c.describe()
	for _, m := range facts {
		c.write(m, staticTime)
	}
	if c.err != nil {
		return nil, errors.Join(c.err, c.w.Close())
	}
	return c, nil
}

// Frame writes a frame, which is borrowed for the length of the call; if its pixels go
// to the disk from where they are, it is retained for longer. Its Arrival is written as
// the host's time. ErrUnsupported if the snapshot doesn't hold its stream. A frame at
// the time of its stream's last one, which librealsense would lose, is moved by a
// nanosecond.
func (c *Copier) Frame(sensor int, f *camdriver.Frame, at time.Duration) error {
	if c.err != nil {
		return c.err
	}
	if !c.enc.Holds(sensor, f.Stream()) {
		return camdriver.ErrUnsupported
	}
	t := max(bagstore.Time(at), earliest, c.last[f.Stream()]+1)
	if t != bagstore.Time(at) {
		c.moved++
	}
	c.last[f.Stream()] = t
	c.frame(sensor, f, t)
	return c.err
}

// Event writes an option change or a notification. ErrUnsupported if the layout has no
// name for it.
func (c *Copier) Event(e Event) error {
	var m rslayout.Message
	ok := false
	switch {
	case e.Option != nil:
		if m, ok = c.option(e.Sensor, e.Option.ID, e.Option.Value); ok && e.Option.ID == camdriver.OptionDepthUnits {
			c.units[e.Sensor] = e.Option.Value
		}
	case e.Notification != nil:
		m, ok = c.enc.Notification(e.Sensor, *e.Notification)
	}
	if !ok {
		return camdriver.ErrUnsupported
	}
	c.write(m, max(bagstore.Time(e.Time), earliest))
	return c.err
}

// Message copies a message of another recording as it is.
func (c *Copier) Message(m bagstore.Message) error {
	if c.err != nil {
		return c.err
	}
	id, known := c.conns[m.Conn.Topic]
	if !known {
		id, c.err = c.w.AddConnection(*m.Conn)
		c.conns[m.Conn.Topic] = id
	}
	if c.err == nil {
		c.err = c.w.Write(id, m.Time, m.Data)
	}
	return c.err
}

// Close ends the recording; on return the file is whole on disk.
func (c *Copier) Close() error { return errors.Join(c.err, c.w.Close()) }
