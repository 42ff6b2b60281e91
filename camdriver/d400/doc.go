// Package d400 drives Intel RealSense D400 cameras (D415, D435, D435i, D455,
// D405, …) in user space, as librealsense's RSUSB backend does.
//
// # Interfaces
//
// The driver talks to the camera through usb.Bus: descriptors of the video class 1.5 and HID, control transfers, and
// bulk and interrupt transfers. It provides a camdriver.Device with the SDK's sensors: "Stereo Module" (depth,
// infrared), "RGB Camera" (colour) and "Motion Module" (gyro, accel). A camera's capabilities are read from its
// descriptors and calibration tables. The product table has names and what the descriptors lack.
//
// Without libusb, Open, List and Report return usb.ErrNoUSB, and the driver isn't linked.
//
// # Life of a device
//
// Open claims all interfaces, which detaches the kernel's drivers until Close. When the camera disappears, started
// sensors raise StatusDisconnected. The device then searches for the same camera until Close. When it finds it, it
// restarts the streams and raises StatusStreaming.
//
// # Memory
//
// gousb copies each transfer into a pooled buffer, placed so that the pixels after the payload header start at a page
// boundary. This is the only copy of a frame, except for formats that have to be converted (Y8I, Y12I, RGB8): these are
// read into a scratch buffer first.
//
// # Concurrency
//
// Device and Sensor methods may be called from any goroutine, but a Handler must not call
// Start, Stop or Close, because they wait for it.
//
// Undocumented values are in inferred.go.
package d400
