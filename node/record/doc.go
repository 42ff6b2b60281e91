// Package record writes bags: of a camera's streams in the RealSense layout
// (Camera), and of any topics of the graph (Topics).
//
// Both take what arrives into a queue that is bounded in bytes, from which one
// goroutine writes. A disk that stalls costs messages, which are counted, and
// never holds up the camera or a publisher. A Camera owns the goroutines of its
// recordings and waits for them in Close; Topics waits for its own before it
// returns.
//
// The package may use node/graph, node/ros and the bag writers. It is handed an
// open device and never opens one.
package record
