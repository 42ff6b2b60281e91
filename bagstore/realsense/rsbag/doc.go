// Package rsbag reads and writes recordings of RealSense devices: bags whose topics hold a
// device's description, frames, options and events, in the layout of package rslayout and
// at the times that the SDK expects (docs/format-realsense.md).
//
// # Writing
//
// A [Recorder] writes a device's messages, which an rslayout.Encoder makes, as file version
// 3, which librealsense plays. It lends pixels to the bag without copying them.
//
// # Reading
//
// [Open] reads the description of a file of version 2, 3, 4 or later, or of a .db3 of
// librealsense 2.58 or later, or of a camera node (Options.CameraNodes). A [Cursor]
// visits its frames, option changes and notifications in time order, forward and
// backward. What is missing or odd in a file is not an error; [File.Notes] lists it.
//
// File times start near 0: they are relative to the start of the recording.
//
// # Concurrency
//
// A Recorder and a [File] are safe for concurrent use. A Cursor is for one goroutine.
package rsbag
