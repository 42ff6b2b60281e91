package rsdb3

import (
	"math/bits"
	"time"

	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/realsense/rstext"
	"rsros/camdriver"
	"rsros/msgs"
)

// Frame writes a frame, which it borrows. Arrival is written as the host's time.
func (w *Writer) Frame(sensor int, f *camdriver.Frame, at time.Duration) error {
	id := f.Stream()
	t := w.streams[id]
	if !w.Holds(sensor, id) {
		w.losses.Addf("frames of %s: the form has no place for them", id)
		return nil
	}
	w.begin()
	h := msgs.Header{Stamp: msgs.Time(at), FrameID: t.frameID}
	var pixels []byte
	if id.Kind.Video() {
		head := t.ImageHead(f)
		head.Header, pixels = h, f.Data
		head.Append(&w.enc)
	} else {
		w.imu(h, f)
	}
	w.put(t.data, at, pixels)
	md := rstext.Metadata{Number: f.Number, Domain: f.Domain, System: f.Arrival, Timestamp: f.Timestamp,
		Values: f.Metadata}
	if id.Kind == camdriver.Depth {
		md.Units = f.DepthUnits
	}
	w.text = rstext.AppendMetadata(w.text[:0], md)
	w.begin()
	w.enc.Text(w.text)
	w.put(t.metadata, at)
	w.calibration(t, at)
	return w.err
}

// imu writes a motion sample. Without an orientation, ROS requires -1 in its covariance.
func (w *Writer) imu(h msgs.Header, f *camdriver.Frame) {
	m := rslayout.Imu(f.Stream().Kind, f)
	m.Header = h
	if f.Stream().Kind != camdriver.Motion {
		m.Orientation.W, m.OrientationCovariance[0] = 1, -1
	}
	w.enc.Message(m)
}

const (
	typeLog           = "rcl_interfaces/msg/Log"
	typeTimeReference = "sensor_msgs/msg/TimeReference"
)

// Write writes a line of the recorder's log, the relation of two clocks, or a text of a stream that isn't known. ROS 2
// has no sequence numbers, and no topics of a log.
func (w *Writer) Write(topic string, m msgs.Message, at time.Duration) error {
	w.begin()
	e, typ := &w.enc, typeLog
	switch m := m.(type) {
	case *msgs.Log:
		e.Time(m.Header.Stamp)
		e.U8(uint8(10 * min(bits.Len8(m.Level), 5))) // ROS 2 counts in tens what ROS 1 has as bits
		for _, s := range []string{m.Name, m.Msg, m.File, m.Function} {
			e.String(s)
		}
		e.U32(m.Line)
	case *msgs.TimeReference:
		typ = typeTimeReference
		e.Message(m)
	case *msgs.String:
		typ = typeString
		e.Message(m)
	default:
		return camdriver.ErrUnsupported
	}
	w.put(w.topic(topic, typ, ""), at)
	return w.err
}
