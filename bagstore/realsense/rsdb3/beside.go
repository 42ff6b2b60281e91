package rsdb3

import (
	"math/bits"
	"time"

	"rsros/msgs"
)

// Types of messages that the SDK doesn't look at.
const (
	typeLog           = "rcl_interfaces/msg/Log"
	typeTimeReference = "sensor_msgs/msg/TimeReference"
)

// Log writes a line of the recording program's log. ROS 2 has no place for its
// sequence number and the node's topics.
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

// TimeReference writes the relation of two clocks. ROS 2 has no place for its sequence
// number.
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
