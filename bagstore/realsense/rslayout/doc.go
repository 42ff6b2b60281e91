// Package rslayout defines the layout of the RealSense SDK's bags (docs/internals/format-realsense.md): topic names,
// types, and the messages that describe a device, its frames and its events. Live topics use it, too. An [Encoder]
// makes the messages without copying pixels; [ParseTopic] parses topic names. Files node*.go read the topics and
// messages of camera nodes. An Encoder may be used concurrently, for different streams.
package rslayout
