package ros2

import "strings"

// logType has a shape of its own in each of the two.
const logType = "rcl_interfaces/Log"

// ros2Names are the types that ROS 2 has under another name than ROS 1.
var ros2Names = map[string]string{
	"std_msgs/Time":     "builtin_interfaces/Time",
	"std_msgs/Duration": "builtin_interfaces/Duration",
	"tf/tfMessage":      "tf2_msgs/TFMessage",
	"rosgraph_msgs/Log": logType,
}

// ros1Names are the types of ROS 2 whose ROS 1 form has another name.
var ros1Names = map[string]string{
	"builtin_interfaces/Time":     "std_msgs/Time",
	"builtin_interfaces/Duration": "std_msgs/Duration",
}

// ros2Type turns "sensor_msgs/Image" into "sensor_msgs/msg/Image".
func ros2Type(name string) string { return strings.Replace(name, "/", "/msg/", 1) }
