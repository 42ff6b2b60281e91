// Package sim simulates a D435i, for demos, tests and benchmarks.
//
// All streams show the same scene. The camera moves on a closed path (motion.go) through a room with a few solids, one
// of them a rolling ball. Each imager renders the room with the intrinsics and extrinsics that the device reports
// (calib.go, render.go): a deprojected depth pixel lies on the solid that colour and infrared show there. Gyro, accel
// and pose are exact derivatives of the path.
//
// # Time
//
// The path repeats every Options.Loop. Frame k of a stream is due at t = opened + phase + k/fps and shows the room at
// t, so streams don't drift. Depth and both infrared images of an exposure share a timestamp. Timestamps are in the
// Global Time domain, or in the Hardware Clock domain (ms since opening) while Global Time Enabled is 0. The package
// reads only Options.Clock.
//
// If the Handler is busy for more than 100 ms, all frames due in the meantime except the newest are dropped. Drops
// appear as gaps in frame numbers and are counted in the option Total Frame Drops.
//
// # Memory
//
// A background goroutine renders images before they are due. Images are kept, so that after one loop nothing is
// rendered, and frames refer to them without a copy. A stream keeps at most Options.StreamMemory bytes. If its loop is
// larger, consecutive frames share an image.
package sim
