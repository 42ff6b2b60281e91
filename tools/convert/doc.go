// Package convert converts recordings.
//
// ToDB3 and ToBag convert RealSense recordings between bags of the layout of docs/internals/format-realsense.md and
// .db3 files of librealsense 2.58, with frames, metadata, times, options and their changes, calibration and
// notifications. Messages copies everything else between bags, .db3 and MCAP files and folders of rosbag2, message by
// message: unchanged, or between ROS 1 and ROS 2 by the definitions. Results list what the other format can't hold.
//
// An output gets its name when it is complete. Memory doesn't grow with the recording. Messages
// reads in a goroutine that ends before it returns.
package convert
