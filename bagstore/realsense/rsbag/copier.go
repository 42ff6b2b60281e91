package rsbag

import (
	"errors"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
)

// Copier writes a recording whose file times are known, such as those of a [Cursor].
// Its methods are for one goroutine; after an error all fail with it.
type Copier struct {
	out   *sink
	last  map[camdriver.StreamID]bagstore.Time
	moved uint64
}

// Moved is how many frames got another time than they had.
func (c *Copier) Moved() uint64 { return c.moved }

// Left lists what of the device's description the file doesn't hold, see [Encoder.Left].
func (c *Copier) Left() []string { return c.out.enc.Left() }

// NewCopier creates the file and writes the description and the facts of another one. Names of
// options that have spaces there, as in files from before 2020, have them here, too.
func NewCopier(path string, of *File, o bagstore.Options) (*Copier, error) {
	out, err := newSink(path, of.Snapshot(), o)
	if err != nil {
		return nil, err
	}
	for _, c := range of.Bag().Connections() {
		if strings.Contains(c.Topic, "/option/") {
			out.names[strings.ReplaceAll(c.Topic, " ", "_")] = c.Topic
		}
	}
	c := &Copier{out: out, last: make(map[camdriver.StreamID]bagstore.Time)}
	out.describe()
	for _, kv := range of.Additional() {
		out.write(rslayout.Additional(kv.Key, kv.Value), staticTime)
	}
	if out.err != nil {
		return nil, c.Close()
	}
	return c, nil
}

// Frame writes a frame, which is borrowed for the length of the call; if its pixels go
// to the disk from where they are, it is retained for longer. Its Arrival is written as
// the host's time. ErrUnsupported if the snapshot doesn't hold its stream. A frame at
// the time of its stream's last one, which librealsense would lose, is moved by a
// nanosecond.
func (c *Copier) Frame(sensor int, f *camdriver.Frame, at time.Duration) error {
	if !c.out.Holds(sensor, f.Stream()) {
		return camdriver.ErrUnsupported
	}
	t := max(bagstore.Time(at), earliest, c.last[f.Stream()]+1)
	if t != bagstore.Time(at) {
		c.moved++
	}
	c.last[f.Stream()] = t
	return c.out.Frame(sensor, f, time.Duration(t))
}

// Event writes an option change or a notification. ErrUnsupported if the layout has no
// name for it.
func (c *Copier) Event(e Event) error {
	at := max(e.Time, time.Duration(earliest))
	switch {
	case e.Option != nil:
		return c.out.Option(e.Sensor, e.Option.ID, e.Option.Value, at)
	case e.Notification != nil:
		return c.out.Notification(e.Sensor, *e.Notification, at)
	}
	return camdriver.ErrUnsupported
}

// Message copies a message of another recording as it is.
func (c *Copier) Message(m bagstore.Message) error {
	s := c.out
	id, known := s.conns[m.Conn.Topic]
	if !known {
		id = s.connect(*m.Conn)
	}
	if s.err == nil {
		s.err = s.w.Write(id, m.Time, m.Data)
	}
	return s.err
}

// Close ends the recording; on return the file is whole on disk.
func (c *Copier) Close() error { return errors.Join(c.out.err, c.out.w.Close()) }
