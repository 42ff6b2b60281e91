// Package demo does the main job of the program on a machine that has nothing
// else, and judges the outcome: it records the simulated camera, replays the
// bag, and compares every frame.
//
// It uses node/live and node/play as a command would. Run owns every goroutine
// that it starts and waits for it.
package demo
