// Package demo records the simulated camera, replays the bag and compares every frame,
// without any other program.
//
// It calls node/live and node/play as the commands do. Run waits for every goroutine
// that it starts.
package demo
