package model

import "rsros/camdriver"

// nativeFormats maps the first four bytes of a format's GUID to the SDK's format.
// Firmware since 2019 uses Direct3D numbers for some.
var nativeFormats = map[string]camdriver.Format{
	"Z16 ":             camdriver.Z16,
	"\x50\x00\x00\x00": camdriver.Z16, // D3DFMT_D16
	"Y8  ":             camdriver.Y8,
	"GREY":             camdriver.Y8,
	"RAW8":             camdriver.Y8,
	"\x32\x00\x00\x00": camdriver.Y8, // D3DFMT_L8
	"Y8I ":             camdriver.Y8I,
	"Y12I":             camdriver.Y12I,
	"UYVY":             camdriver.UYVY,
	"YUY2":             camdriver.YUYV,
	"BYR2":             camdriver.RAW16,
	"RW16":             camdriver.RAW16,
}

// FormatOf returns the SDK's format for a GUID, or AnyFormat if it is none that drivers support (packed
// 10-bit and compressed formats).
func FormatOf(guid [16]byte) camdriver.Format { return nativeFormats[string(guid[:4])] }
