// Package convert turns RealSense recordings of one format into another: bags of the
// layout of docs/format-realsense.md into .db3 files of librealsense 2.58, and back.
// Frames, metadata, times, options with their changes, calibration and notifications
// stay what they are; what the other format can't hold is counted and named.
//
// An output appears when it is whole, or not at all. Memory doesn't grow with the size
// of a recording.
package convert
