// Package rsdb3 writes RealSense recordings as .db3 files, as librealsense does since
// 2.58, and checks whether it can play one (docs/format-realsense.md). Reading such files
// is rsbag's: there a .db3 is a recording like any other.
//
// A [Writer] takes a device's snapshot, then frames and events with their file times.
// What the form can't hold it leaves out or changes, and counts: [Writer.Losses] says
// what. [Check] names each rule of the SDK's reader that a file breaks.
//
// A Writer is for one goroutine.
package rsdb3
