// Package record writes recordings: a camera's streams in the RealSense layout, as bags or
// as .db3 files (Camera), and any topics of the graph (Topics).
//
// Both put what arrives into a queue that is bounded in bytes, and one goroutine
// writes from it. If the disk stalls, messages are dropped and counted; the camera
// and publishers are never held up. A Camera owns the goroutines of its
// recordings and waits for them in Close; Topics waits for its own before it
// returns.
//
// The package may use node/graph, node/ros and the bag writers. It gets an open
// device and never opens one.
package record
