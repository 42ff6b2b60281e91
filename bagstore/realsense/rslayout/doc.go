// Package rslayout is the layout that the RealSense SDK gives to bags (docs/format-realsense.md):
// the names of its topics, their types, and the messages that describe a device, its frames
// and its events. Live topics and recordings have the same ones.
//
// An [Encoder] turns a snapshot and frames into messages. Pixels are not copied: the
// body of a [Message] is the frame's own memory. [ParseTopic] takes the names of topics
// apart, for readers of recordings; package rsbag reads and writes these.
//
// An Encoder may be used from several goroutines, a different one for each stream.
package rslayout
