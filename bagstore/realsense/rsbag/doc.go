// Package rsbag reads and writes recordings of RealSense devices, in the layout of package rslayout
// and at the times that the SDK expects (docs/internals/format-realsense.md).
//
// A [Recorder] writes file version 3, which librealsense plays, without copying pixels.
//
// [Open] reads the description of a recording of version 2 or later, of a .db3 of librealsense since 2.58, or of a
// camera node (Options.CameraNodes). A [Cursor] visits its frames, option changes and notifications. [File.Notes] lists
// what is missing or unusual. File times count from the start of the recording.
//
// A Recorder and a [File] are safe for concurrent use. A Cursor is for one goroutine.
package rsbag
