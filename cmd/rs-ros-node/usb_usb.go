//go:build usb && cgo

package main

// usbSupport describes whether this build can open USB cameras.
const usbSupport = "yes"
