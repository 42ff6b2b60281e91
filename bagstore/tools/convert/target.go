package convert

import (
	"errors"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/realsense/rsdb3"
	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs"
)

type db3 struct{ w *rsdb3.Writer }

func (t db3) event(e rsbag.Event) error {
	switch {
	case e.Option != nil:
		return t.w.Option(e.Sensor, e.Option.ID, e.Option.Value, e.Time)
	case e.Notification != nil:
		return t.w.Notification(e.Sensor, *e.Notification, e.Time)
	}
	return t.w.Frame(e.Sensor, e.Frame, e.Time)
}

// message writes messages of the layout's types, and skips those that don't decode.
func (t db3) message(f *rsbag.File, m bagstore.Message) (bool, error) {
	if !ofLayout(m.Conn) {
		return false, nil
	}
	at := f.FileTime(m.Time)
	switch m.Conn.Type {
	case "rosgraph_msgs/Log":
		var l msgs.Log
		if msgs.Unmarshal(m.Data, &l) != nil {
			return false, nil
		}
		return true, t.w.Log(m.Conn.Topic, &l, at)
	case "sensor_msgs/TimeReference":
		var r msgs.TimeReference
		if msgs.Unmarshal(m.Data, &r) != nil {
			return false, nil
		}
		return true, t.w.TimeReference(m.Conn.Topic, &r, at)
	}
	return false, nil
}

// ofLayout reports whether a topic is one of the layout, with its type.
func ofLayout(c *bagstore.Connection) bool {
	want, ok := rslayout.TopicType(c.Topic)
	return ok && c.MD5 == want.MD5
}

type bag struct {
	w    *rsbag.Copier
	lost map[string]uint64
}

func (t bag) event(e rsbag.Event) error {
	var err error
	if e.Frame != nil {
		err = t.w.Frame(e.Sensor, e.Frame, e.Time)
	} else {
		err = t.w.Event(e)
	}
	if !errors.Is(err, camdriver.ErrUnsupported) {
		return err
	}
	switch {
	case e.Frame != nil:
		t.lost[fmt.Sprintf("frames of %s: the layout can't hold them", e.Frame.Stream())]++
	case e.Option != nil:
		t.lost[fmt.Sprintf("changes of option %s", e.Option.ID)]++
	default:
		t.lost["notifications of an unknown category"]++
	}
	return nil
}

func (t bag) message(f *rsbag.File, m bagstore.Message) (bool, error) {
	if !ofLayout(m.Conn) {
		return false, nil
	}
	m.Time = bagstore.Time(f.FileTime(m.Time))
	return true, t.w.Message(m)
}
