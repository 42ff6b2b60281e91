// Package record writes recordings: a camera's streams in the RealSense layout, as bags or
// .db3 files (Camera), and any topics of the graph (Topics).
//
// Both queue data in a queue that is bounded in bytes, and write from it in one goroutine.
// If the disk stalls, messages are dropped and counted; the camera and publishers never
// wait. Camera.Close waits for the goroutines of a Camera, and Topics waits for its own
// before it returns.
package record
