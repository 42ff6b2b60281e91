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

// NewCopier writes the description and the facts of a file into a new bag, which the first device's Copier closes.
// later is how much later than the bag's its time 0 is. Options keep their names' spaces, which files from before 2020
// have.
func NewCopier(w *rosbag.Writer, of *File, device int, later time.Duration) (*Copier, error) {
	names := make(map[string]string)
	for _, c := range of.Bag().Connections() {
		if strings.Contains(c.Topic, "/option/") {
			names[strings.ReplaceAll(c.Topic, " ", "_")] = c.Topic
		}
	}
	c := &Copier{sink: newSink(w, device, of.Snapshot()), last: make(map[camdriver.StreamID]bagstore.Time)}
	c.names = names
	c.describe(device == 0)
	for _, kv := range of.Additional() {
		if start, ok := of.Start(); ok && kv.Key == rslayout.KeyStart && later != 0 {
			kv.Value = rslayout.FormatStart(start.Add(-later))
		}
		_ = c.Fact(kv.Key, kv.Value) // the error is c.err
	}
	return c, c.err
}

// Fact adds to /additional_info, which librealsense ignores.
func (c *Copier) Fact(key, value string) error {
	c.write(rslayout.Additional(key, value), staticTime)
	return c.err
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

// Message copies a message of another recording as it is, to the device's topic.
func (c *Copier) Message(m bagstore.Message) error {
	conn := *m.Conn
	_, conn.Topic = rslayout.FirstTopic(conn.Topic)
	id, known := c.conns[conn.Topic]
	if !known {
		id = c.connect(conn)
	}
	if c.err == nil {
		c.err = c.w.Write(id, m.Time, m.Data)
	}
	return c.err
}

// Close ends the recording. On return the file is complete on disk.
func (c *Copier) Close() error { return errors.Join(c.err, c.w.Close()) }
