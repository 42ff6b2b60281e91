// Package ros2 is a node of ROS 2 on raw bytes: it publishes and subscribes to topics, serves and calls services, and
// tells what is in the graph. No installation of ROS 2 is needed, and no type needs to be known: messages are CDR
// with its encapsulation, as rosbag2 stores them.
//
// Join starts a node, which is a participant of DDS (ros2/internal/dds) of its own. It finds and understands the
// nodes of rmw_fastrtps, and topics of rmw_cyclonedds.
//
// All methods may be called from several goroutines. Callbacks come from the goroutines that receive: they must not
// block. Close ends everything and waits for it.
package ros2
