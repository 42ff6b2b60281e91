package rsbag

import (
	"errors"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/rosbag"
	"rsros/camdriver"
)

// Copier writes a recording with known file times. It is for one goroutine. Errors are permanent.
type Copier struct {
	*sink
	last    map[camdriver.StreamID]bagstore.Time
	shifted uint64
}

// NewCopier writes the description and the facts of a file into a new bag, which the Copier closes. Options
// keep their names' spaces, which files from before 2020 have.
func NewCopier(w *rosbag.Writer, of *File) (*Copier, error) {
	names := make(map[string]string)
	for _, c := range of.Bag().Connections() {
		if strings.Contains(c.Topic, "/option/") {
			names[strings.ReplaceAll(c.Topic, " ", "_")] = c.Topic
		}
	}
	c := &Copier{sink: newSink(w, 0, of.Snapshot()), last: make(map[camdriver.StreamID]bagstore.Time)}
	c.names = names
	c.describe(true)
	for _, kv := range of.Additional() {
		c.write(rslayout.Additional(kv.Key, kv.Value), staticTime)
	}
	if c.err != nil {
		return nil, c.Close()
	}
	return c, nil
}

// Shifted returns the number of frames that were given another time.
func (c *Copier) Shifted() uint64 { return c.shifted }

// Left returns what the file doesn't hold of the snapshot, see [rslayout.Encoder.Left].
func (c *Copier) Left() []string { return c.enc.Left() }

// Frame writes a frame. It retains the frame until its pixels are written. Arrival is written as
// the host's time. The error is ErrUnsupported if the snapshot doesn't have the stream.
// librealsense loses a frame at the time of the stream's last one, so it is moved by a nanosecond.
func (c *Copier) Frame(sensor int, f *camdriver.Frame, at time.Duration) error {
	if !c.Holds(sensor, f.Stream()) {
		return camdriver.ErrUnsupported
	}
	t := max(bagstore.Time(at), earliest, c.last[f.Stream()]+1)
	if t != bagstore.Time(at) {
		c.shifted++
	}
	c.last[f.Stream()] = t
	return c.sink.Frame(sensor, f, time.Duration(t))
}

// Message copies a message of another recording as it is.
func (c *Copier) Message(m bagstore.Message) error {
	id, known := c.conns[m.Conn.Topic]
	if !known {
		id = c.connect(*m.Conn)
	}
	if c.err == nil {
		c.err = c.w.Write(id, m.Time, m.Data)
	}
	return c.err
}

// Close ends the recording. On return the file is complete on disk.
func (c *Copier) Close() error { return errors.Join(c.err, c.w.Close()) }
