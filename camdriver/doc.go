// Package camdriver is the model of a depth camera that every driver fills and
// every consumer reads. The words are librealsense's: a Device has Sensors, a
// Sensor has stream Profiles and Options, a started stream raises Frames;
// snapshots describe the rest (info, options, calibration) at one instant.
//
// # Ownership
//
// A Frame is reference counted. A Handler borrows the frame for the length of
// its call; to keep it longer it calls Retain, and Release when done. The
// pixels (Frame.Data) live until the last Release, are never written after the
// frame was raised, and start at a page (PageSize) when they come from a
// Pool, so that they can go to an O_DIRECT file or a socket without a copy.
//
// # Concurrency
//
// A driver calls a Handler from its own goroutines: frames of one stream come
// in order and one at a time, frames of different streams may come at once.
// Device and Sensor methods may be called from any goroutine. Stop returns only
// when no Handler call of that sensor is running and none will follow.
//
// The package imports nothing of this module; drivers live in subpackages and
// all pass the contract test in test/.
package camdriver
