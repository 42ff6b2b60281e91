package d400

import (
	"encoding/binary"

	"rsros/camdriver"
)

// nativeFormats maps the first four bytes of a format's GUID to the SDK's
// format. Firmware of 2019 and later writes Direct3D numbers for some; the SDK
// folds the same aliases.
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

// native gives the SDK's format of a descriptor's GUID; AnyFormat if this driver
// cannot carry it (packed 10-bit and compressed forms).
func (f videoFormat) native() camdriver.Format { return nativeFormats[string(f.GUID[:4])] }

// The depth function's extension unit, {C9606CCB-594C-4D25-AF47-CCC496435995},
// as the bytes of a descriptor.
var depthUnit = wireGUID(0xc9606ccb, 0x594c, 0x4d25, [8]byte{0xaf, 0x47, 0xcc, 0xc4, 0x96, 0x43, 0x59, 0x95})

// wireGUID returns a GUID as USB descriptors have it: the first three fields are
// little-endian.
func wireGUID(a uint32, b, c uint16, rest [8]byte) [16]byte {
	var g [16]byte
	binary.LittleEndian.PutUint32(g[0:], a)
	binary.LittleEndian.PutUint16(g[4:], b)
	binary.LittleEndian.PutUint16(g[6:], c)
	copy(g[8:], rest[:])
	return g
}
