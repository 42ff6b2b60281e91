// Package convert turns recordings of one format into another.
//
// RealSense recordings go from bags of the layout of docs/format-realsense.md into .db3
// files of librealsense 2.58, and back (ToDB3, ToBag). Frames, metadata, times, options
// with their changes, calibration and notifications are kept. Everything else is copied
// message by message between bags, .db3 and MCAP files and folders of rosbag2
// (Messages): unchanged, or between ROS 1 and ROS 2 by the definitions. Results list
// what the other format can't hold.
//
// An output gets its name when it is complete. Memory doesn't grow with the size of a
// recording. Messages reads in a goroutine that ends before it returns.
package convert
