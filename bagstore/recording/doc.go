// Package recording opens recordings of any format as a [bagstore.Recording]: ROS bags, .db3 files of rosbag2 and of
// librealsense since 2.58, MCAP files of either ROS, and folders of rosbag2. It recognizes the format by the content.
//
// ROS 2 topics become ROS 1 connections: type, definition and md5 as msgs/ros2 maps them, latching if a publisher
// offered the durability transient_local. A topic whose type can't be mapped is left out, with a note of severity Loss.
package recording
