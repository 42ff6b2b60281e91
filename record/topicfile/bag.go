package topicfile

import (
	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/ros"
)

// bagFile is a file with messages of ROS 1. Those of ROS 2 are converted.
type bagFile struct {
	bagstore.BagWriter
	conns    map[Key]*bagConn
	ids      IDs
	mappings msgs.Cache[*ros2.Mapping]
	left     bagstore.Losses
}

type bagConn struct {
	id      uint32
	mapping *ros2.Mapping // nil: messages are of ROS 1
	why     error         // the reason for leaving out all messages
}

func (f *bagFile) connect(key Key, topic string, h ros.Header) (*bagConn, error) {
	c, conn, err := Connection(topic, h), &bagConn{}, error(nil)
	if IsROS2(h) {
		if conn.mapping, conn.why = f.mappings.Get(c.Type, c.Definition, ros2.Map); conn.why != nil {
			return conn, nil
		}
		to := conn.mapping.Type
		c.Type, c.MD5, c.Definition = to.Name, to.MD5, to.Definition
	}
	c.ID = f.ids.of(key)
	conn.id, err = f.KeepConnection(c)
	return conn, err
}

func (f *bagFile) Message(topic string, h ros.Header, at bagstore.Time, done func(), data []byte) (err error) {
	key := KeyOf(topic, h)
	c, ok := f.conns[key]
	if !ok {
		if c, err = f.connect(key, topic, h); err != nil {
			done()
			return err
		}
		f.conns[key] = c
	}
	if c.mapping == nil && c.why == nil {
		return f.Lend(c.id, at, done, data)
	}
	defer done()
	out, whole, err := []byte(nil), false, c.why
	if err == nil {
		out, whole, err = c.mapping.Convert(make([]byte, 0, len(data)+len(data)/8), data)
	}
	if err != nil {
		f.left.Addf("messages of %s: %v", topic, err)
		return camdriver.ErrUnsupported
	}
	if !whole {
		f.left.Addf("parts of messages of %s that ROS 1's %s can't represent: %s", topic, c.mapping.Type.Name,
			notRepresented(c.mapping.Dropped, "times before 1970"))
	}
	return f.Lend(c.id, at, func() {}, out)
}
