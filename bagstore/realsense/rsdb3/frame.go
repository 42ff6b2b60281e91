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
	if t == nil || t.sensor != sensor {
		w.losses.add("frames of %s: the form has no place for them", id)
		return nil
	}
	w.begin()
	w.enc.Time(msgs.Time(at))
	w.enc.String(t.frameID)
	var pixels []byte
	if id.Kind.Video() {
		w.imageHead(t, f)
		pixels = f.Data
	} else {
		w.imu(id.Kind, &f.Motion)
	}
	if err := w.put(t.data, at, pixels); err != nil {
		return err
	}
	md := rstext.Metadata{Number: f.Number, Domain: f.Domain, System: f.Arrival, Timestamp: f.Timestamp, Values: f.Metadata}
	if id.Kind == camdriver.Depth {
		md.Units = f.DepthUnits
	}
	w.text = rstext.AppendMetadata(w.text[:0], md)
	w.begin()
	w.enc.Len(len(w.text) + 1)
	w.enc.Raw(w.text)
	w.enc.U8(0)
	if err := w.put(t.metadata, at); err != nil {
		return err
	}
	return w.calibration(t, at)
}

func (w *Writer) imageHead(t *streamTopics, f *camdriver.Frame) {
	format := t.format
	if f.Profile.Format != camdriver.AnyFormat {
		format = f.Profile.Format
	}
	e := &w.enc
	e.U32(uint32(f.Height))
	e.U32(uint32(f.Width))
	e.String(rslayout.Encoding(format))
	e.Bool(false) // not big-endian
	e.U32(uint32(f.Stride))
	e.Len(len(f.Data))
}

// imu writes a motion sample. Without an orientation, ROS requires -1 in its covariance.
func (w *Writer) imu(kind camdriver.StreamKind, m *camdriver.MotionSample) {
	var none [9]float64
	orientation, covariance := [4]float64{0, 0, 0, 1}, none
	gyro, accel := m.Gyro, m.Accel
	switch kind {
	case camdriver.Gyro:
		accel = [3]float64{}
		covariance[0] = -1
	case camdriver.Accel:
		gyro = [3]float64{}
		covariance[0] = -1
	default:
		orientation = m.Orientation
	}
	e := &w.enc
	e.F64s(orientation[:])
	e.F64s(covariance[:])
	e.F64s(gyro[:])
	e.F64s(none[:])
	e.F64s(accel[:])
	e.F64s(none[:])
}

const (
	typeLog           = "rcl_interfaces/msg/Log"
	typeTimeReference = "sensor_msgs/msg/TimeReference"
)

// Log writes a line of the recorder's log. ROS 2 has no sequence number and topics.
func (w *Writer) Log(topic string, l *msgs.Log, at time.Duration) error {
	id, err := w.topic(topic, typeLog)
	if err != nil {
		return err
	}
	w.begin()
	e := &w.enc
	e.Time(l.Header.Stamp)
	e.U8(uint8(10 * min(bits.Len8(l.Level), 5))) // ROS 2 counts in tens what ROS 1 has as bits
	for _, s := range []string{l.Name, l.Msg, l.File, l.Function} {
		e.String(s)
	}
	e.U32(l.Line)
	return w.put(id, at)
}

// TimeReference writes the relation of two clocks. ROS 2 has no sequence number.
func (w *Writer) TimeReference(topic string, r *msgs.TimeReference, at time.Duration) error {
	id, err := w.topic(topic, typeTimeReference)
	if err != nil {
		return err
	}
	w.begin()
	e := &w.enc
	e.Time(r.Header.Stamp)
	e.String(r.Header.FrameID)
	e.Time(r.TimeRef)
	e.String(r.Source)
	return w.put(id, at)
}
