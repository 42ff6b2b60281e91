package bagstore

import (
	"rsros/bagstore/place"
)

// Container is an open recording of another format: topics with the format's type names, and messages as the bytes
// that were recorded. Package recording converts what it reads to ROS 1 messages. Its methods are safe for concurrent use.
type Container interface {
	// Format names format and version, such as "rosbag2 (SQLite, schema 4)".
	Format() string
	// Size is that of the file or files, in bytes.
	Size() int64
	// Topics lists the topics. Entries and counts name them by their index here.
	Topics() []Topic
	// Blocks lists all messages that can be found, in the order of the file. Stored and Size are 0 if the container would have to read the messages to know them.
	Blocks() []Block
	// Entries lists the messages of a block.
	Entries(block int) ([]Entry, error)
	// Read appends a message as it was recorded, uncompressed, to the result of alloc, an
	// empty slice with room for n bytes. A call of alloc invalidates its last result.
	Read(block int, e Entry, alloc func(n int) []byte) ([]byte, error)
	// Extent returns the file that a block's messages are in, and their range, if it is at an address;
	// nil if it is at a path.
	Extent(block int) (in place.File, from, to int64)
	// Notes lists what was unusual when the file was opened.
	Notes() []Note
	// Found lists losses that reading has found besides messages that it couldn't read.
	Found() []Note
	// Check compares what the format stores twice, and calls note for what is wrong.
	Check(note func(Note))
	Close() error
}

// The encodings of messages.
const (
	CDR  = "cdr"  // ROS 2
	ROS1 = "ros1" // as in bags
)

// Topic is a topic of a container.
type Topic struct {
	Name     string
	Type     string // in the words of the format: "sensor_msgs/msg/Image", "sensor_msgs/Image"
	Encoding string // of the messages
	Schema   Schema
	// QoS is the YAML text of the profiles that publishers offered, as rosbag2 stores
	// it; empty if the format has none.
	QoS string
	// Hash is the type hash of ROS 2, "RIHS01_…"; empty if it isn't known.
	Hash string
	// What connections of ROS 1 bags have, from containers that keep it.
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
	return Topic{Name: c.Topic, Type: c.Type, Encoding: ROS1, Schema: Schema{SchemaROS1, c.Definition}, MD5: c.MD5, CallerID: c.CallerID, Latching: c.Latching}
}
