// Package demo shows the program's main job on a machine that has nothing else: it
// records the simulated camera, replays the bag, and compares every frame.
//
// It calls node/live and node/play as the commands do. Run owns every goroutine
// that it starts and waits for it.
package demo
