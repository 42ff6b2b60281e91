package convert

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

// target is a RealSense recording that is being written. The error is camdriver.ErrUnsupported for
// what it can't hold and doesn't count itself.
type target interface {
	Frame(sensor int, f *camdriver.Frame, at time.Duration) error
	Option(sensor int, id camdriver.OptionID, value float32, at time.Duration) error
	Notification(sensor int, n camdriver.Notification, at time.Duration) error
	// message writes another message of the layout at a file time. written is false if it can't.
	message(m bagstore.Message, at time.Duration) (written bool, err error)
}

// writeEvent writes a cursor's event. lost describes one that the target can't hold.
func writeEvent(out target, e rsbag.Event) (lost string, err error) {
	switch {
	case e.Frame != nil:
		lost = fmt.Sprintf("frames of %s: the layout can't hold them", e.Frame.Stream())
		err = out.Frame(e.Sensor, e.Frame, e.Time)
	case e.Option != nil:
		lost = fmt.Sprintf("changes of option %s", e.Option.ID)
		err = out.Option(e.Sensor, e.Option.ID, e.Option.Value, e.Time)
	default:
		lost = "notifications of an unknown category"
		err = out.Notification(e.Sensor, *e.Notification, e.Time)
	}
	if errors.Is(err, camdriver.ErrUnsupported) {
		return lost, nil
	}
	return "", err
}

// ofLayout reports whether a topic is one of the layout, with its type.
func ofLayout(c *bagstore.Connection) bool {
	_, topic := rslayout.FirstTopic(c.Topic)
	want, ok := rslayout.TopicType(topic)
	return ok && c.MD5 == want.MD5
}

type db3Target struct{ *rsdb3.Writer }

// message skips messages that don't decode.
func (t db3Target) message(m bagstore.Message, at time.Duration) (bool, error) {
	var content msgs.Message
	switch m.Conn.Type {
	case "rosgraph_msgs/Log":
		content = new(msgs.Log)
	case "sensor_msgs/TimeReference":
		content = new(msgs.TimeReference)
	case "std_msgs/String":
		content = new(msgs.String)
	}
	if content == nil || msgs.Unmarshal(m.Data, content) != nil {
		return false, nil
	}
	if m.Time <= bagstore.MinTime {
		at = 0 // what describes is at 1 ns in a bag
	}
	_, topic := rslayout.FirstTopic(m.Conn.Topic)
	return true, t.Write(topic, content, at)
}

type bag struct{ *rsbag.Copier }

// message makes a fact of what a .db3 says in words about a stream that isn't known: librealsense, also 2.58, can't
// open a bag with it. ToDB3 makes it of the fact again.
func (t bag) message(m bagstore.Message, at time.Duration) (bool, error) {
	what, below := rslayout.BelowStream(m.Conn.Topic)
	if below && m.Conn.Type == "std_msgs/String" &&
		!strings.HasSuffix(what, "/data") && !strings.HasSuffix(what, "/metadata") {
		var text msgs.String
		if msgs.Unmarshal(m.Data, &text) != nil {
			return false, nil
		}
		_, topic := rslayout.FirstTopic(m.Conn.Topic)
		return true, t.Fact(topic, text.Data)
	}
	m.Time = bagstore.Time(at)
	return true, t.Message(m)
}
