// Package rsdb3 writes RealSense recordings as .db3 files, as librealsense does since 2.58, and
// checks whether librealsense can play one (docs/internals/format-realsense.md). Package rsbag reads them. Topics are
// those of package rslayout; descriptions and metadata are texts (package rstext), in rows of this order:
//
//	time 0       /file_version, /device_0/info, then of each sensor: info, (option value, option description)…,
//	             post_processing, (stream info, its calibration)…; then tf/ref_0 of the streams
//	time of it   a frame's data, at once followed by its metadata; changes of options and notifications between frames
//
// A [Writer] takes a device's snapshot, then frames and events with their file times. [Writer.Losses] lists what the
// file can't hold. [Check] lists rules of the SDK's reader that a file breaks. A Writer is for one goroutine.
package rsdb3
