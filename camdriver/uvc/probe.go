package uvc

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Selectors of a streaming interface.
const (
	ProbeControl  = 1
	CommitControl = 2
)

// Probe is UVC's probe and commit structure (UVC 1.5, table 4-75), with the fields that are used with uncompressed
// formats. It has the layout of the bytes.
type Probe struct {
	Hint           uint16 // bit 0: keep the interval
	Format         uint8
	Frame          uint8
	Interval       uint32 // in 100 ns
	_              [10]byte
	MaxFrameSize   uint32   // bytes; set by the device
	MaxPayloadSize uint32   // bytes; set by the device
	Clock          uint32   // of the device in Hz; set by the device
	Tail           [18]byte // bytes 30 and later, sent back unchanged
}

// ProbeLength returns the size of the structure in a version of the class.
func ProbeLength(version uint16) int {
	switch {
	case version >= 0x0150:
		return 48
	case version >= 0x0110:
		return 34
	}
	return 26
}

// Request returns what a host sends. The device determines the two sizes, so they are 0.
func (p Probe) Request(version uint16) []byte {
	p.MaxFrameSize, p.MaxPayloadSize = 0, 0
	return p.Encode(version)
}

// Encode returns all fields that a version of the class has.
func (p Probe) Encode(version uint16) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, p) // no error: the size is fixed
	return b[:ProbeLength(version)]
}

// DecodeProbe parses a structure, which must have all fields of version 1.0.
func DecodeProbe(b []byte) (p Probe, err error) {
	if len(b) < 26 {
		return p, fmt.Errorf("probe has %d bytes, want at least 26", len(b))
	}
	_, err = binary.Decode(append(slices.Clone(b), make([]byte, 48)...), binary.LittleEndian, &p)
	return p, err
}
