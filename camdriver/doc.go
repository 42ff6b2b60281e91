// Package camdriver defines a depth camera: the interface between drivers and the consumers of their frames. The terms
// are librealsense's: a Device has Sensors, a Sensor has stream Profiles and Options, and a started stream raises
// Frames. A snapshot describes info, options and calibration at one instant.
//
// # Ownership
//
// A Frame is reference counted. A Handler borrows the frame for the duration of the call; to keep it longer, it must
// call Retain, and Release when done. The pixels (Frame.Data) are valid until the last Release and are not modified
// after the frame is raised. Pixels from a Pool start at a page boundary (PageSize), so that they can be written to an
// O_DIRECT file or a socket without a copy.
//
// # Concurrency
//
// A driver calls a Handler from its own goroutines. Frames of one stream arrive in order and one at a time; frames of
// different streams may arrive concurrently. Device and Sensor methods may be called from any goroutine. When Stop
// returns, no Handler call of that sensor is running and none will follow.
//
// Drivers are subpackages. All of them pass the contract test in test/drivertest.
package camdriver
