// Package rslayout defines the layout of the RealSense SDK's bags (docs/internals/format-realsense.md): topic names,
// types, and the messages that describe a device, its frames and its events. Live topics use it, too.
//
//	/file_version  /additional_info  /log               of the recording
//	/device_0/info                                      one message a key
//	  sensor_<n>/info                                   sensors count from 0
//	    option/<name>/value, option/<name>/description  the initial value at 1 ns, then each change
//	    post_processing  notification/<category>  time
//	    <Stream>_<index>/info                           such as Infrared_2
//	      info/camera_info | imu_intrinsic  tf/0        calibration
//	      image/data | imu/data | occupancy_map/data | pose/{transform,accel,twist}/data
//	      …/metadata                                    a message a value, each at the time of its frame's data
//
// An [Encoder] makes the messages without copying pixels; [ParseTopic] parses topic names. Files node*.go read the
// topics and messages of camera nodes. An Encoder may be used concurrently, for different streams.
package rslayout
