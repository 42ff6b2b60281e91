package convert

import (
	"cmp"
	"fmt"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/recording"
	"rsros/msgs"
	"rsros/msgs/ros2"
)

type route struct {
	topic  bagstore.Topic // in the output
	out    int            // the output's number of the topic
	why    error          // not nil: its messages can't be converted
	encode encode         // nil: its messages are copied
	exact  bool           // bytes and times are the input's
}

// encode appends a message in the output's form to to. lost describes what the message loses, or is "".
type encode func(to, message []byte) (out []byte, lost string, err error)

// router finds the routes of topics, and caches conversions.
type router struct {
	encoding string // of the output
	encoders msgs.Cache[*ros2.Encoder]
	mappings msgs.Cache[*ros2.Mapping]
	sums     msgs.Cache[string] // MD5
}

func (r *router) route(t bagstore.Topic) route {
	switch {
	case t.Encoding == bagstore.ROS1 && r.encoding == bagstore.CDR:
		return r.toROS2(t)
	case t.Encoding == bagstore.CDR && r.encoding == bagstore.ROS1:
		return r.toROS1(t)
	case t.Encoding != r.encoding:
		return route{topic: t, why: fmt.Errorf("messages of the encoding %q", t.Encoding)}
	case t.Encoding == bagstore.CDR:
		return route{topic: described(t), exact: true}
	}
	if t.MD5 == "" {
		var err error
		if t.MD5, err = r.sums.Get(t.Type, t.Schema.Text, sum); err != nil {
			return route{topic: t, why: err}
		}
	}
	t.QoS = ""
	return route{topic: t}
}

// sum returns a type's MD5.
func sum(name, definition string) (string, error) {
	s, err := msgs.Parse(name, definition)
	if err != nil {
		return "", err
	}
	return s.MD5(), nil
}

// described adds the definition and hash of a ROS 2 type if the recording has none.
func described(t bagstore.Topic) bagstore.Topic {
	if t.Schema.Encoding != "" {
		return t
	}
	if text, hash, ok := ros2.Describe(t.Type); ok {
		t.Schema, t.Hash = bagstore.Schema{Encoding: bagstore.SchemaROS2, Text: text}, cmp.Or(t.Hash, hash)
	}
	return t
}

func (r *router) toROS2(t bagstore.Topic) route {
	e, err := r.encoders.Get(t.Type, t.Schema.Text, ros2.NewEncoder)
	if err != nil {
		return route{topic: t, why: err}
	}
	out := bagstore.Topic{
		Name: t.Name, Type: e.Type, Encoding: bagstore.CDR, Hash: e.Hash, QoS: db3.QoS(t.Latching),
		Schema: bagstore.Schema{Encoding: bagstore.SchemaROS2, Text: e.Definition},
	}
	return route{topic: out, encode: withLoss(t, 2, "times after 2038", e.Dropped, e.Convert)}
}

func (r *router) toROS1(t bagstore.Topic) route {
	m, err := r.mappings.Get(t.Type+" "+t.Schema.Encoding, t.Schema.Text,
		func(string, string) (*ros2.Mapping, error) { return recording.Map(t) })
	if err != nil {
		return route{topic: t, why: err}
	}
	out := bagstore.Topic{
		Name: t.Name, Type: m.Type.Name, Encoding: bagstore.ROS1, MD5: m.Type.MD5,
		CallerID: t.CallerID, Latching: t.Latched(),
		Schema: bagstore.Schema{Encoding: bagstore.SchemaROS1, Text: m.Type.Definition},
	}
	return route{topic: out, encode: withLoss(t, 1, "times before 1970", m.Dropped, m.Convert)}
}

// withLoss returns an encode that describes what messages of a topic may lose in the other ROS.
func withLoss(t bagstore.Topic, ros int, times string, dropped []string,
	convert func(to, message []byte) ([]byte, bool, error)) encode {
	lost := times + ", or bytes after the last field, of messages of " + t.Name
	if len(dropped) > 0 {
		lost = fmt.Sprintf("values of %s, fields of %s that ROS %d doesn't have, %s, or bytes after the last field",
			strings.Join(dropped, ", "), t.Type, ros, times)
	}
	return func(to, message []byte) ([]byte, string, error) {
		b, whole, err := convert(to, message)
		if whole {
			return b, "", err
		}
		return b, lost, err
	}
}

type table map[*bagstore.Connection]*route

// newTable finds the routes. Connections of a topic share one in ROS 2, where a topic has one type.
func newTable(in sources, encoding string) table {
	r := router{encoding: encoding}
	list := make(table)
	first := make(map[string]*route)
	for _, conn := range in.conns {
		way := r.route(in.topics[conn])
		list[conn] = &way
		if encoding != bagstore.CDR || way.why != nil {
			continue
		}
		other, seen := first[way.topic.Name]
		switch {
		case !seen:
			first[way.topic.Name] = &way
		case other.topic.Type != way.topic.Type || other.topic.Schema != way.topic.Schema:
			way.why = fmt.Errorf("type %s: the topic has type %s, too, and a topic of ROS 2 has one",
				way.topic.Type, other.topic.Type)
		case way.topic.QoS != other.topic.QoS && way.topic.Latched():
			other.topic.QoS = way.topic.QoS
		}
	}
	return list
}

// open adds the topics to an output. With join, equal connections of ROS 1 become one, too.
func (t table) open(in sources, join bool, encoding string, out output) (err error) {
	numbers := make(map[bagstore.Topic]int)
	for _, conn := range in.conns {
		way := t[conn]
		if way.why != nil {
			continue
		}
		key := way.topic
		if encoding == bagstore.CDR {
			key = bagstore.Topic{Name: key.Name}
		}
		if n, known := numbers[key]; known && (join || encoding == bagstore.CDR) {
			way.out = n
			continue
		}
		if way.out, err = out.topic(way.topic); err != nil {
			return err
		}
		numbers[key] = way.out
	}
	return nil
}

func encodingIn(in sources) string {
	ros1 := 0
	for _, c := range in.conns {
		if in.topics[c].Encoding == bagstore.ROS1 {
			ros1++
		}
	}
	if 2*ros1 > len(in.conns) {
		return bagstore.ROS1
	}
	return bagstore.CDR
}
