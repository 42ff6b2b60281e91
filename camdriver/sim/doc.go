// Package sim is a simulated D435i: a camdriver.Device without hardware, for
// demos, tests and benchmarks.
//
// Every stream shows one world. The camera moves on a closed path (motion.go)
// through a room with a few solids, in which one ball rolls, and each imager sees
// the room through the intrinsics and extrinsics that the device
// reports (calib.go, render.go): a depth pixel, deprojected, lies on the solid
// that colour and infrared show there, and gyro, accel and pose are the path's
// exact derivatives.
//
// # Time
//
// The path repeats every Options.Loop. Frames of a stream are due on a fixed
// grid that starts when the device is opened, t = opened + phase + k/fps, so
// nothing drifts, depth and both infrared images of one exposure share a
// timestamp, and frame k shows the room at exactly t. Timestamps are in the
// Global Time domain, or hardware clock (microsecond counter from opening, in
// ms) while Global Time Enabled is 0. Only Options.Clock is asked for the time.
//
// A frame that is late by more than 100 ms because the Handler was busy is
// dropped with all others due so far but the newest; they show as a gap in
// frame numbers and in the option Total Frame Drops.
//
// # Memory
//
// Images are rendered when they are first needed, ahead of time by a background
// goroutine, and kept: after one loop a stream costs no rendering. Frames lend
// the loop's page-aligned buffers without a copy. A stream keeps at most
// Options.StreamMemory; when its loop is larger, each image is shown for several
// frames in a row.
package sim
