// Package rsdb3 writes RealSense recordings as .db3 files, as librealsense does since 2.58, and
// checks whether librealsense can play one (docs/internals/format-realsense.md). Package rsbag reads them.
//
// A [Writer] takes a device's snapshot, then frames and events with their file times. [Writer.Losses] lists what the
// file can't hold. [Check] lists rules of the SDK's reader that a file breaks. A Writer is for one goroutine.
package rsdb3
