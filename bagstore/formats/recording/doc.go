// Package recording opens recordings of any format that the program reads, as a
// [bagstore.Bag], so that what works on bags works on all of them: ROS bags, the .db3 files
// of rosbag2, the recorder of ROS 2, and of librealsense since 2.58, MCAP files with
// messages of either ROS, and folders of rosbag2. The format is known by the content; names
// don't matter.
//
// ROS 2 topics become ROS 1 connections: type, definition and md5 as msgs/ros2 maps them,
// latching where a publisher offered the durability transient_local. A topic whose
// type can't be mapped is left out, and a note of severity Loss says so.
package recording
