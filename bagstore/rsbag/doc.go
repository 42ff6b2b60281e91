// Package rsbag is the RealSense layout on top of a bag: which topics hold a
// device's description, frames, options and events, at which times
// (docs/format-realsense.md).
//
// Out: an Encoder turns a snapshot and frames into Messages; the same ones are
// published live and recorded. A Recorder writes them as file version 3 so that
// librealsense plays them. Pixels are never copied here: a Message's Body is the
// frame's own memory.
//
// In: Open reads the description of a file of version 2, 3, 4 or later; a Cursor
// walks its frames, options and notifications in time order, both ways. What is
// missing or odd in a file becomes a Note, not a failure.
//
// File times start near 0: they are relative to the recording's start.
//
// A Recorder may be used by many goroutines, an Encoder for different streams by
// different ones; a Cursor belongs to one. A File may be shared.
package rsbag
