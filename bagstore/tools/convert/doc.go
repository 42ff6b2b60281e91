// Package convert turns recordings of one format into another.
//
// RealSense recordings go from bags of the layout of docs/format-realsense.md into .db3
// files of librealsense 2.58, and back (ToDB3, ToBag). Frames, metadata, times, options
// with their changes, calibration and notifications stay what they are. Everything else
// goes message by message between bags, .db3 and MCAP files and folders of rosbag2
// (Messages): as it is, or between ROS 1 and ROS 2 by the definitions. What the other
// format can't hold is counted and named.
//
// An output appears when it is whole, or not at all. Memory doesn't grow with the size
// of a recording. Messages reads on a goroutine of its own, which has ended when it
// returns.
package convert
