package bagstore

// Field is one name=value pair of a connection header.
type Field struct {
	Name  string
	Value string
}

// Connection describes the messages of one publisher on one topic.
type Connection struct {
	ID         uint32 // assigned by the Writer
	Topic      string
	Type       string // such as "sensor_msgs/Image"
	MD5        string
	Definition string // full text with dependencies
	CallerID   string // the publishing node, "" if not known
	Latching   bool
	BestEffort bool    // offered so in ROS 2; connections of ROS 1 are reliable
	Extra      []Field // further fields of the connection header
}
