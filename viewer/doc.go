// Package viewer serves the viewer: the page (package page), and the socket on which the
// page receives frames and sends requests (docs/internals/view-protocol.md).
//
// A [Server] opens, runs and closes one source at a time: one or more cameras, a recording whose cameras play together,
// or the topics of any other recording. It sends the source's frames and messages to any number of viewers. A frame is
// retained, encoded at most once in each form whatever the number of viewers, and sent from the camera's or the bag's
// own memory where the form allows it.
//
// Each viewer has two goroutines: one reads its requests, one writes. At most two frames of a stream are in flight to a
// viewer. Meanwhile a newer frame replaces the one that waits, and both sides count the skipped frame. So a slow viewer
// doesn't delay others, and its memory is bounded.
package viewer
