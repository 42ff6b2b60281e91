// Package view serves the viewer: the page (package web), and the socket on which the
// page receives frames and sends requests (docs/view-protocol.md).
//
// In: one device at a time, a camera or a recording, which a [Server] opens, runs and
// closes. Out: its frames to any number of viewers. A frame is retained, encoded at
// most once in each form whatever the number of viewers, and sent from the camera's
// own memory where the form allows it.
//
// Each viewer has two goroutines: one reads its requests, one writes. At most two
// frames of a stream are under way to a viewer; meanwhile a newer frame takes the
// place of the one that waits, and both sides count it. So a slow viewer costs nobody
// else anything, and its memory is bounded.
package view
