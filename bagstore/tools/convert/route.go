package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/formats/rosbag2"
	"rsros/msgs"
	"rsros/msgs/ros2"
)

// route is the way of a topic's messages from the input into the output.
type route struct {
	topic  container.Topic // in the output
	out    int             // the output's number of the topic
	why    error           // not nil: its messages have no form there
	encode encode          // nil: they stay as they are
	exact  bool            // the output has the input's own bytes and times
}

// encode appends a message in the output's form to what it is given. lost is what of the
// message that form doesn't have; "" is nothing.
type encode func(to, message []byte) (out []byte, lost string, err error)

// router finds the ways of topics.
type router struct {
	encoding string                      // of the output
	encoders map[[2]string]*ros2.Encoder // by name and definition
	mappings map[container.Schema]map[string]*ros2.Mapping
}

func newRouter(encoding string) *router {
	return &router{encoding, make(map[[2]string]*ros2.Encoder), make(map[container.Schema]map[string]*ros2.Mapping)}
}

// route finds the way of a topic.
func (r *router) route(t container.Topic) route {
	switch {
	case t.Encoding == container.ROS1 && r.encoding == container.CDR:
		return r.toROS2(t)
	case t.Encoding == container.CDR && r.encoding == container.ROS1:
		return r.toROS1(t)
	case t.Encoding != r.encoding:
		return route{topic: t, why: fmt.Errorf("messages of the encoding %q", t.Encoding)}
	case t.Encoding == container.CDR:
		return route{topic: described(t), exact: true}
	}
	return ros1AsItIs(t)
}

// ros1AsItIs takes over a topic whose messages stay in the form of ROS 1.
func ros1AsItIs(t container.Topic) route {
	if t.MD5 == "" {
		s, err := msgs.Parse(t.Type, t.Schema.Text)
		if err != nil {
			return route{topic: t, why: err}
		}
		t.MD5 = s.MD5()
	}
	t.QoS = ""
	return route{topic: t}
}

// described completes what a recording of ROS 2 doesn't say of a type.
func described(t container.Topic) container.Topic {
	if t.Schema.Encoding != "" {
		return t
	}
	if text, hash, ok := ros2.Describe(t.Type); ok {
		t.Schema, t.Hash = container.Schema{Encoding: container.SchemaROS2, Text: text}, cmp.Or(t.Hash, hash)
	}
	return t
}

func (r *router) toROS2(t container.Topic) route {
	key := [2]string{t.Type, t.Schema.Text}
	e, known := r.encoders[key]
	if !known {
		var err error
		if e, err = ros2.NewEncoder(t.Type, t.Schema.Text); err != nil {
			return route{topic: t, why: err}
		}
		r.encoders[key] = e
	}
	lost := "times after 2038, or bytes after the last field, of messages of " + t.Name
	if len(e.Dropped) > 0 {
		lost = fmt.Sprintf("values of %s, fields of %s that ROS 2 doesn't have, times after 2038, or bytes after the last field", strings.Join(e.Dropped, ", "), t.Type)
	}
	out := container.Topic{
		Name: t.Name, Type: e.Type, Encoding: container.CDR, Hash: e.Hash, QoS: rosbag2.QoS(t.Latching),
		Schema: container.Schema{Encoding: container.SchemaROS2, Text: e.Definition},
	}
	return route{topic: out, encode: saying(lost, e.Convert)}
}

// saying is an encode that says what is lost of messages that aren't whole.
func saying(lost string, convert func(to, message []byte) ([]byte, bool, error)) encode {
	return func(to, message []byte) ([]byte, string, error) {
		b, whole, err := convert(to, message)
		if whole {
			return b, "", err
		}
		return b, lost, err
	}
}

func (r *router) toROS1(t container.Topic) route {
	if r.mappings[t.Schema] == nil {
		r.mappings[t.Schema] = make(map[string]*ros2.Mapping)
	}
	m := r.mappings[t.Schema][t.Type]
	if m == nil {
		var err error
		if m, err = recording.Map(t); err != nil {
			return route{topic: t, why: err}
		}
		r.mappings[t.Schema][t.Type] = m
	}
	lost := "times before 1970, or bytes after the last field, of messages of " + t.Name
	if len(m.Dropped) > 0 {
		lost = fmt.Sprintf("values of %s, fields of %s that ROS 1 doesn't have, times before 1970, or bytes after the last field", strings.Join(m.Dropped, ", "), t.Type)
	}
	out := container.Topic{
		Name: t.Name, Type: m.Type.Name, Encoding: container.ROS1, MD5: m.Type.MD5, CallerID: t.CallerID, Latching: recording.Latched(t),
		Schema: container.Schema{Encoding: container.SchemaROS1, Text: m.Type.Definition},
	}
	return route{topic: out, encode: saying(lost, m.Convert)}
}

// table has the routes of all connections of an input.
type table map[uint32]*route

// newTable finds the routes. In ROS 2 a topic has one type, so the connections of one
// topic share it.
func newTable(bag *bagstore.Bag, topics map[uint32]container.Topic, encoding string) table {
	r, list := newRouter(encoding), make(table)
	first := make(map[string]*route)
	for _, conn := range bag.Connections() {
		way := r.route(topics[conn.ID])
		list[conn.ID] = &way
		if encoding != container.CDR || way.why != nil {
			continue
		}
		other, seen := first[way.topic.Name]
		switch {
		case !seen:
			first[way.topic.Name] = &way
		case other.topic.Type != way.topic.Type || other.topic.Schema != way.topic.Schema:
			way.why = fmt.Errorf("type %s: the topic has type %s, too, and a topic of ROS 2 has one", way.topic.Type, other.topic.Type)
		case way.topic.QoS != other.topic.QoS && recording.Latched(way.topic):
			other.topic.QoS = way.topic.QoS
		}
	}
	return list
}

// open makes the topics known to the output.
func (t table) open(bag *bagstore.Bag, encoding string, out output) (err error) {
	numbers := make(map[string]int)
	for _, conn := range bag.Connections() {
		way := t[conn.ID]
		if way.why != nil {
			continue
		}
		if n, known := numbers[way.topic.Name]; known && encoding == container.CDR {
			way.out = n
			continue
		}
		if way.out, err = out.topic(way.topic); err != nil {
			return err
		}
		numbers[way.topic.Name] = way.out
	}
	return nil
}

// encodingIn is what most topics of an input have.
func encodingIn(topics map[uint32]container.Topic) string {
	ros1 := 0
	for _, t := range topics {
		if t.Encoding == container.ROS1 {
			ros1++
		}
	}
	if 2*ros1 > len(topics) {
		return container.ROS1
	}
	return container.CDR
}

// sortedTopics lists topics by their names.
func sortedTopics(list []rosbag2.TopicCount) []rosbag2.TopicCount {
	slices.SortFunc(list, func(a, b rosbag2.TopicCount) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
