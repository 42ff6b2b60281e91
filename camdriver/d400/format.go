package d400

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

// native returns the SDK's format, or AnyFormat if the driver doesn't support it (packed
// 10-bit and compressed formats).
func (f videoFormat) native() camdriver.Format { return nativeFormats[string(f.GUID[:4])] }

// depthUnit is the GUID {C9606CCB-594C-4D25-AF47-CCC496435995} of the depth function's
// extension unit in wire order: the first three fields are little-endian.
var depthUnit = [16]byte{0xcb, 0x6c, 0x60, 0xc9, 0x4c, 0x59, 0x25, 0x4d, 0xaf, 0x47, 0xcc, 0xc4, 0x96, 0x43, 0x59, 0x95}
