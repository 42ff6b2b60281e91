// Package d400 drives Intel RealSense D400 cameras (D415, D435, D435i, D455,
// D405, …) in user space, as librealsense's RSUSB backend does.
//
// # What comes in, what goes out
//
// In come a USB configuration (video class 1.5 and HID descriptors), control
// transfers and bulk or interrupt transfers through the Bus interface of usb.go.
// Out come a camdriver.Device whose sensors are the SDK's: "Stereo Module"
// (depth, infrared), "RGB Camera" (colour), "Motion Module" (gyro, accel). What
// a camera can do is read from its descriptors and calibration tables; the
// product table only knows names and what the descriptors do not tell.
//
// The package builds without cgo and without tags. With the tag usb the bus is
// libusb (gousb_usb.go); without it Open and List fail with ErrNoUSB, which says
// how to get it (gousb_other.go).
//
// # Life of a device
//
// Open claims all interfaces, so the kernel's drivers let go of the camera until
// Close. When the camera disappears, started sensors raise StatusDisconnected;
// the device looks for the same camera until Close and, when it is back, starts
// the same streams again and raises StatusStreaming.
//
// # Memory
//
// gousb copies each transfer into a pooled, page-aligned buffer, placed so that the
// pixels after the payload header start at a page. This is the only copy of a frame,
// except for formats that must be converted (Y8I, Y12I, RGB8): these are read into
// memory of the stream's own first.
//
// # Concurrency
//
// Device and Sensor methods may be called from any goroutine, but not Start,
// Stop or Close from inside a Handler call: they wait for it.
//
// Values that no document confirms are collected in inferred.go.
package d400
