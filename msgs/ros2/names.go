package ros2

import "strings"

// ros2Names are the ROS 2 names of ROS 1 types that have a different name.
var ros2Names = map[string]string{
	"std_msgs/Time":                "builtin_interfaces/Time",
	"std_msgs/Duration":            "builtin_interfaces/Duration",
	"tf/tfMessage":                 "tf2_msgs/TFMessage",
	"rosgraph_msgs/Log":            "rcl_interfaces/Log",
	"realsense2_camera/Extrinsics": "realsense2_camera_msgs/Extrinsics",
	"realsense2_camera/IMUInfo":    "realsense2_camera_msgs/IMUInfo",
	"realsense2_camera/Metadata":   "realsense2_camera_msgs/Metadata",
}

// ros1Names are the ROS 1 names of ROS 2 types that have a different name.
var ros1Names = map[string]string{
	"builtin_interfaces/Time":           "std_msgs/Time",
	"builtin_interfaces/Duration":       "std_msgs/Duration",
	"rcl_interfaces/Log":                "rosgraph_msgs/Log",
	"realsense2_camera_msgs/Extrinsics": "realsense2_camera/Extrinsics",
	"realsense2_camera_msgs/IMUInfo":    "realsense2_camera/IMUInfo",
	"realsense2_camera_msgs/Metadata":   "realsense2_camera/Metadata",
}

// FullTypeName converts "sensor_msgs/Image" to "sensor_msgs/msg/Image".
func FullTypeName(name string) string { return strings.Replace(name, "/", "/msg/", 1) }
