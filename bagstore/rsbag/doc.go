// Package rsbag is the RealSense layout on top of a bag: which topics hold a
// device's description, frames, options and events, at which times
// (docs/format-realsense.md).
//
// # Writing
//
// An [Encoder] turns a snapshot and frames into messages; live topics and
// recordings have the same ones. A [Recorder] writes them as file version 3, which
// librealsense plays. Pixels are never copied here: the body of a [Message] is the
// frame's own memory.
//
// # Reading
//
// [Open] reads the description of a file of version 2, 3, 4 or later, or of a .db3 of
// librealsense 2.58 or later; [OpenDevice] also takes recordings of camera nodes. A [Cursor]
// visits its frames, option changes and notifications in time order, forward and
// backward. What is missing or odd in a file is not an error; [File.Notes] lists it.
//
// File times start near 0: they are relative to the start of the recording.
//
// # Concurrency
//
// A Recorder may be used from several goroutines, and an Encoder from a different
// one for each stream. A Cursor is for one goroutine. A [File] may be shared.
package rsbag
