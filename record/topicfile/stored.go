package topicfile

import (
	"fmt"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/ros"
)

// store is a db3.Writer or a mcap.Live.
type store interface {
	AddTopic(bagstore.Topic) (int64, error)
	Write(topic, ns int64, message ...[]byte) error
	CommitIfDue() error
	Size() int64
	Kept() bagstore.Kept
	Close() error
}

// stored is a file with messages of ROS 2, whose publishers have topics in common. It leaves out messages of a second
// type.
type stored struct {
	store
	topics   map[string]*storedTopic
	conns    map[Key]*storedTopic
	encoders msgs.Cache[*ros2.Encoder]
	buf      []byte
	left     bagstore.Losses
}

// storedTopic is a topic with the encoder of its messages.
type storedTopic struct {
	name, md5 string
	id        int64
	encoder   *ros2.Encoder // nil: messages are as the file has them
	why       error         // the reason for leaving out all messages
}

func newStored(w store, left bagstore.Losses) *stored {
	return &stored{store: w, topics: map[string]*storedTopic{}, conns: map[Key]*storedTopic{}, left: left}
}

// connect returns the topic of a connection. It adds the topic unless another publisher's connection has.
func (f *stored) connect(c bagstore.Connection, h ros.Header) (t *storedTopic, err error) {
	t = &storedTopic{name: c.Topic, md5: c.MD5}
	if there := f.topics[c.Topic]; there != nil {
		if there.md5 == c.MD5 {
			return there, nil
		}
		t.why = fmt.Errorf("it is of the type %s, too", c.Type)
		return t, nil
	}
	f.topics[c.Topic] = t
	topic := bagstore.Topic{
		Name: c.Topic, Type: c.Type, Encoding: bagstore.CDR, Hash: c.MD5, QoS: h[fieldQoS],
		Schema: bagstore.Schema{Encoding: bagstore.SchemaROS2, Text: c.Definition},
	}
	if c.Definition == "" {
		topic.Schema.Encoding = ""
	}
	if !IsROS2(h) {
		if t.encoder, t.why = f.encoders.Get(c.Type, c.Definition, ros2.NewEncoder); t.why != nil {
			return t, nil
		}
		topic.Type, topic.Hash, topic.QoS = t.encoder.Type, t.encoder.Hash, db3.QoS(c.Latching)
		topic.Schema.Text = t.encoder.Definition
	}
	t.id, err = f.AddTopic(topic)
	return t, err
}

// Message writes a message at once.
func (f *stored) Message(topic string, h ros.Header, at bagstore.Time, done func(), data []byte) (err error) {
	defer done()
	key := KeyOf(topic, h)
	t := f.conns[key]
	if t == nil {
		if t, err = f.connect(Connection(topic, h), h); err != nil {
			return err
		}
		f.conns[key] = t
	}
	out, whole, err := data, true, t.why
	if err == nil && t.encoder != nil {
		out, whole, err = t.encoder.Convert(f.buf[:0], data)
		f.buf = out
	}
	if err != nil {
		f.left.Addf("messages of %s: %v", t.name, err)
		return camdriver.ErrUnsupported
	}
	if !whole {
		f.left.Addf("parts of messages of %s that ROS 2's %s can't represent: %s", t.name, t.encoder.Type,
			notRepresented(t.encoder.Dropped, "times after 2038"))
	}
	if err := f.Write(t.id, int64(at), out); err != nil {
		return err
	}
	return f.CommitIfDue()
}

func (f *stored) CheckpointIfDue() error { return f.CommitIfDue() }
func (f *stored) WriteMethod() string    { return "" }

func notRepresented(dropped []string, times string) string {
	return strings.Join(append(slices.Clone(dropped), times), ", ")
}
