package bagstore

import (
	"slices"
	"strings"
)

// The encodings of messages.
const (
	CDR  = "cdr"  // ROS 2
	ROS1 = "ros1" // as in bags
)

// Topic is a topic in the words of its format.
type Topic struct {
	Name     string
	Type     string // in the words of the format: "sensor_msgs/msg/Image", "sensor_msgs/Image"
	Encoding string // of the messages
	Schema   Schema
	// QoS is the YAML text of the profiles that publishers offered, as rosbag2 stores it; empty if the format has none.
	QoS string
	// Hash is the type hash of ROS 2, "RIHS01_…"; empty if it isn't known.
	Hash string
	// What connections of ROS 1 bags have, from formats that keep it.
	MD5, CallerID string
	Latching      bool
}

// Schema is the definition of a type.
type Schema struct {
	Encoding string // "ros2msg", "ros2idl", "ros1msg"; empty: there is none
	Text     string // with the definitions of the types it uses
}

// The encodings of schemas.
const (
	SchemaROS1 = "ros1msg"
	SchemaROS2 = "ros2msg"
)

// ROS1Topic describes a connection of a bag.
func ROS1Topic(c *Connection) Topic {
	return Topic{Name: c.Topic, Type: c.Type, Encoding: ROS1, Schema: Schema{SchemaROS1, c.Definition}, MD5: c.MD5,
		CallerID: c.CallerID, Latching: c.Latching}
}

// Latched reports whether late subscribers get the topic's last message.
func (t Topic) Latched() bool {
	return t.Latching || t.offers("durability:", "1", "transient_local") > 0
}

// BestEffort reports whether all publishers offered best effort.
func (t Topic) BestEffort() bool {
	n := t.offers("reliability:", "2", "best_effort")
	return n > 0 && n == t.offers("reliability:")
}

// offers counts the publishers that offered one of some values of a policy, or any.
func (t Topic) offers(policy string, wanted ...string) (n int) {
	for line := range strings.Lines(t.QoS) {
		value, ok := strings.CutPrefix(strings.TrimLeft(line, "- "), policy)
		if ok && (len(wanted) == 0 || slices.Contains(wanted, strings.TrimSpace(value))) {
			n++
		}
	}
	return n
}

// Connections describes topics as connections, whose IDs are the indexes of the topics.
func Connections(topics []Topic) []*Connection {
	list := make([]*Connection, len(topics))
	for i, t := range topics {
		list[i] = &Connection{ID: uint32(i), Topic: t.Name, Type: t.Type, Definition: t.Schema.Text, CallerID: t.CallerID,
			Latching: t.Latched(), BestEffort: t.BestEffort()}
	}
	return list
}
