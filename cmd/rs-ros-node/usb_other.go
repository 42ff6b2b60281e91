//go:build !usb || !cgo

package main

// usbSupport says whether this build can open USB cameras.
const usbSupport = "no, build with -tags usb"
