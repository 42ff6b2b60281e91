// Package usbvm tests the USB camera driver on a real USB stack without a
// camera. run.sh boots a stock Debian kernel in QEMU and runs this package's
// tests (build tags usb and usbvm) in it; there, a virtual D435i is plugged into
// the kernel over USB/IP (packages d435i and usbip), uvcvideo and usbhid bind to
// it, and the driver takes it from them through libusb.
//
// With the tag usbsdk (sdk.sh), librealsense itself, unmodified, opens the
// camera, and its requests are recorded.
//
// This tests the path through libusb and the kernel, and that driver, virtual
// camera and librealsense agree. It doesn't test real hardware.
package usbvm
