package rsbag

import (
	"fmt"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
)

// connectionKey identifies a connection of no device.
type connectionKey struct{ topic, callerID, md5 string }

// Join adds a further device to the bag, under a number of its own, and returns its Recorder.
// Both have one time line: a pause of either is one of both. Closing the first closes all.
// The error is camdriver.ErrUnsupported for files that hold one device only.
func (r *Recorder) Join(device int, snap camdriver.DeviceSnapshot) (*Recorder, error) {
	defer r.mu.Unlock()
	if err := r.lock(); err != nil {
		return nil, err
	}
	first, ok := r.out.(*sink)
	if !ok || device < 0 {
		return nil, fmt.Errorf("device %d of a recording: %w", device, camdriver.ErrUnsupported)
	}
	if device > rslayout.MaxDevice {
		return nil, fmt.Errorf("device %d of a recording: the largest number is %d", device, rslayout.MaxDevice)
	}
	for _, d := range append(r.joined, r) {
		if d.out.(*sink).device == device {
			return nil, fmt.Errorf("device %d is in the recording already", device)
		}
	}
	out := newSink(first.w, device, snap)
	d := newRecorder(out, snap, r.o, r.mu, r.line.axis)
	out.describe(false)
	d.writeDescription()
	if d.err == nil {
		d.err = out.Checkpoint()
	}
	r.joined = append(r.joined, d)
	r.err = d.err
	return d, d.err
}

// Reserved reports whether a topic can't be recorded next to devices: it is one of the layout's.
func Reserved(topic string) bool {
	device, _ := rslayout.FirstTopic(topic)
	return device >= 0 || rslayout.ParseTopic(topic).Kind != rslayout.TopicUnknown
}

// Message writes a message of another topic, next to the devices. arrival is on the clock of
// Frame.Arrival; zero is the latest frame's time. The message is borrowed until release is called, also
// after an error and while paused, when it isn't written.
func (r *Recorder) Message(c bagstore.Connection, arrival time.Time, data []byte, release func()) (err error) {
	defer r.mu.Unlock()
	if err := r.lock(); err != nil {
		release()
		return err
	}
	out, ok := r.out.(*sink)
	if !ok {
		release()
		return fmt.Errorf("record %s next to a device: %w", c.Topic, camdriver.ErrUnsupported)
	}
	if Reserved(c.Topic) {
		release()
		return fmt.Errorf("record %s: %w", c.Topic, ErrReserved)
	}
	at, ok := r.line.message(arrival)
	if !ok {
		release()
		return nil
	}
	if r.line.started {
		r.err = r.stateStart()
	}
	var id uint32
	if r.err == nil {
		id, r.err = r.connection(out, c)
	}
	if r.err != nil {
		release()
		return r.err
	}
	if r.err = out.w.Lend(id, at, release, data); r.err == nil {
		r.messages.Add(1)
		r.line.duration.Store(int64(r.line.end))
	}
	return r.err
}

// connection returns the number of a connection in the file.
func (r *Recorder) connection(out *sink, c bagstore.Connection) (uint32, error) {
	key := connectionKey{c.Topic, c.CallerID, c.MD5}
	id, ok := r.conns[key]
	if ok {
		return id, nil
	}
	id, err := out.w.AddConnection(c)
	if err == nil {
		r.conns[key] = id
	}
	return id, err
}
