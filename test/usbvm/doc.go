// Package usbvm tests the USB camera driver on a true USB stack without a
// camera. run.sh boots a stock Debian kernel in QEMU and runs this package's
// tests (build tags usb and usbvm) in it; there, a virtual D435i is plugged into
// the kernel over USB/IP (packages d435i and usbip), uvcvideo and usbhid bind to
// it, and the driver takes it from them through libusb.
//
// With the tag usbsdk (sdk.sh), librealsense itself, unmodified, opens the
// camera, and its requests are recorded.
//
// This proves the libusb and kernel path and that driver and virtual camera
// agree on the facts that both were written from, and that librealsense
// agrees, too. It cannot prove real hardware.
package usbvm
