package model

import "rsros/camdriver"

// First four bytes of GUIDs of the formats that a D435i sends. Firmware since 2019 uses Direct3D numbers for some.
const (
	CodeZ16  = "Z16 "
	CodeD16  = "\x50\x00\x00\x00" // D3DFMT_D16
	CodeL8   = "\x32\x00\x00\x00" // D3DFMT_L8
	CodeUYVY = "UYVY"
	CodeY8I  = "Y8I "
	CodeY12I = "Y12I"
	CodeYUY2 = "YUY2"
	CodeBYR2 = "BYR2"
)

// nativeFormats maps the first four bytes of a format's GUID to the SDK's format.
var nativeFormats = map[string]camdriver.Format{
	CodeZ16:  camdriver.Z16,
	CodeD16:  camdriver.Z16,
	"Y8  ":   camdriver.Y8,
	"GREY":   camdriver.Y8,
	"RAW8":   camdriver.Y8,
	CodeL8:   camdriver.Y8,
	CodeY8I:  camdriver.Y8I,
	CodeY12I: camdriver.Y12I,
	CodeUYVY: camdriver.UYVY,
	CodeYUY2: camdriver.YUYV,
	CodeBYR2: camdriver.RAW16,
	"RW16":   camdriver.RAW16,
}

// FormatOf returns the SDK's format for a GUID, or AnyFormat if it is none that drivers support (packed
// 10-bit and compressed formats).
func FormatOf(guid [16]byte) camdriver.Format { return nativeFormats[string(guid[:4])] }
