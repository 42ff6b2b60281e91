package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/rosbag"
	"rsros/msgs"
	"rsros/msgs/ros2"
)

// topicWriter is implemented by rosbag.Writer; see there.
type topicWriter interface {
	AddConnection(bagstore.Connection) (uint32, error)
	Lend(conn uint32, t bagstore.Time, done func(), message ...[]byte) error
	CheckpointIfDue() error
	Size() int64
	WriteMethod() string // "" if there is no choice
	Close() error
}

// createTopics creates a file in the format of its final name.
func createTopics(path, final string, o bagstore.Options, left leftOut) (topicWriter, error) {
	if _, ext := splitExt(final); ext != extDB3 {
		o.Live = true
		return rosbag.Create(path, o)
	}
	w, err := db3.CreateDefined(path, o)
	return &db3Topics{w: w, topics: make(map[string]*db3Topic), left: left}, err
}

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

// db3Topics leaves out, and counts, messages that ROS 2 can't represent.
type db3Topics struct {
	w        *db3.Writer
	topics   map[string]*db3Topic
	conns    []*db3Topic // by connection
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

// AddConnection adds the topic of a connection unless another publisher's connection has.
func (w *db3Topics) AddConnection(c bagstore.Connection) (uint32, error) {
	t := w.topics[c.Topic]
	switch {
	case t == nil:
		t = &db3Topic{name: c.Topic, md5: c.MD5}
		if t.encoder, t.why = w.encoders.Get(c.Type, c.Definition, ros2.NewEncoder); t.why == nil {
			var err error
			if t.id, err = w.w.AddDefined(bagstore.Topic{
				Name: c.Topic, Type: t.encoder.Type, Encoding: bagstore.CDR, Hash: t.encoder.Hash, QoS: db3.QoS(c.Latching),
				Schema: bagstore.Schema{Encoding: "ros2msg", Text: t.encoder.Definition},
			}); err != nil {
				return 0, err
			}
		}
		w.topics[c.Topic] = t
	case t.md5 != c.MD5:
		t = &db3Topic{name: c.Topic, md5: c.MD5, why: fmt.Errorf("it is of the type %s, too", c.Type)}
	}
	w.conns = append(w.conns, t)
	return uint32(len(w.conns) - 1), nil
}

// Lend implements topicWriter. message must have one part, which is converted at once.
func (w *db3Topics) Lend(conn uint32, at bagstore.Time, done func(), message ...[]byte) error {
	defer done()
	t := w.conns[conn]
	if t.why != nil {
		w.left.add("messages of %s: %v", t.name, t.why)
		return nil
	}
	out, whole, err := t.encoder.Convert(w.buf[:0], message[0])
	if err != nil {
		w.left.add("messages of %s: %v", t.name, err)
		return nil
	}
	if !whole {
		w.left.add("parts of messages of %s that ROS 2's %s can't represent: %s", t.name, t.encoder.Type,
			strings.Join(append(slices.Clone(t.encoder.Dropped), "times after 2038"), ", "))
	}
	w.buf = out
	if err := w.w.Write(t.id, int64(at), out); err != nil {
		return err
	}
	return w.w.CommitIfDue()
}

func (w *db3Topics) CheckpointIfDue() error { return w.w.CommitIfDue() }
func (w *db3Topics) Size() int64            { return w.w.Size() }
func (w *db3Topics) WriteMethod() string    { return "" }
func (w *db3Topics) Close() error           { return w.w.Close() }
