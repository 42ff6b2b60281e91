package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/camdriver"
	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/ros"
)

// leftOut counts messages that were left out of a file, in whole or in part, by reason.
type leftOut map[string]uint64

// maxLeftOut is the limit of reasons.
const maxLeftOut = 1000

func (l leftOut) add(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if _, known := l[what]; known || len(l) < maxLeftOut {
		l[what]++
	}
}

func (l leftOut) String() string { return strings.Join(slices.Sorted(maps.Keys(l)), "; ") }

// db3File is a .db3 of ROS 2 with topics. It leaves out, and counts, messages that ROS 2 can't represent.
type db3File struct {
	*db3.Writer
	topics   map[string]*db3Topic
	conns    map[connectionKey]*db3Topic
	encoders msgs.Cache[*ros2.Encoder]
	buf      []byte
	left     leftOut
}

// db3Topic is a topic with the encoder of its messages.
type db3Topic struct {
	name, md5 string
	id        int64
	encoder   *ros2.Encoder
	why       error // the reason for leaving out all messages
}

func createDB3(path string, o bagstore.Options, left leftOut) (*db3File, error) {
	w, err := db3.CreateDefined(path, o)
	return &db3File{Writer: w, topics: map[string]*db3Topic{}, conns: map[connectionKey]*db3Topic{}, left: left}, err
}

// connect returns the topic of a connection. It adds the topic unless another publisher's connection has.
func (f *db3File) connect(c bagstore.Connection) (*db3Topic, error) {
	t := f.topics[c.Topic]
	switch {
	case t == nil:
		t = &db3Topic{name: c.Topic, md5: c.MD5}
		if t.encoder, t.why = f.encoders.Get(c.Type, c.Definition, ros2.NewEncoder); t.why == nil {
			var err error
			if t.id, err = f.AddTopic(bagstore.Topic{
				Name: c.Topic, Type: t.encoder.Type, Encoding: bagstore.CDR, Hash: t.encoder.Hash, QoS: db3.QoS(c.Latching),
				Schema: bagstore.Schema{Encoding: "ros2msg", Text: t.encoder.Definition},
			}); err != nil {
				return nil, err
			}
		}
		f.topics[c.Topic] = t
	case t.md5 != c.MD5:
		t = &db3Topic{name: c.Topic, md5: c.MD5, why: fmt.Errorf("it is of the type %s, too", c.Type)}
	}
	return t, nil
}

// Message converts a message at once. The error is camdriver.ErrUnsupported if it is left out.
func (f *db3File) Message(topic string, h ros.Header, at instant, done func(), data []byte) error {
	defer done()
	key := keyOf(topic, h)
	t := f.conns[key]
	if t == nil {
		var err error
		if t, err = f.connect(connectionOf(topic, h)); err != nil {
			return err
		}
		f.conns[key] = t
	}
	out, whole, err := f.buf[:0], false, t.why
	if err == nil {
		out, whole, err = t.encoder.Convert(out, data)
	}
	if err != nil {
		f.left.add("messages of %s: %v", t.name, err)
		return camdriver.ErrUnsupported
	}
	if !whole {
		f.left.add("parts of messages of %s that ROS 2's %s can't represent: %s", t.name, t.encoder.Type,
			strings.Join(append(slices.Clone(t.encoder.Dropped), "times after 2038"), ", "))
	}
	f.buf = out
	if err := f.Write(t.id, int64(at.stamp), out); err != nil {
		return err
	}
	return f.CommitIfDue()
}

func (f *db3File) CheckpointIfDue() error { return f.CommitIfDue() }
func (f *db3File) WriteMethod() string    { return "" }
