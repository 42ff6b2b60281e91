// Package view serves the viewer: the page (package web), and the socket on which the
// page receives frames and sends requests (docs/view-protocol.md).
//
// In: one thing at a time, a camera, a recording that plays as one, or the topics of any
// other recording, which a [Server] opens, runs and closes. Out: its frames and messages to
// any number of viewers. A frame is retained, encoded at most once in each form whatever
// the number of viewers, and sent from the camera's or the bag's own memory where the form
// allows it.
//
// Each viewer has two goroutines: one reads its requests, one writes. At most two
// frames of a stream are under way to a viewer; meanwhile a newer frame takes the
// place of the one that waits, and both sides count it. So a slow viewer costs nobody
// else anything, and its memory is bounded.
package view
