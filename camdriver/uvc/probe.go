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

// Probe is the part of UVC's probe and commit structure (UVC 1.5, table 4-75) that is
// used with uncompressed formats.
type Probe struct {
	Hint           uint16 // bit 0: keep the interval
	Format         uint8
	Frame          uint8
	Interval       uint32   // in 100 ns
	MaxFrameSize   uint32   // bytes; set by the device
	MaxPayloadSize uint32   // bytes; set by the device
	Clock          uint32   // of the device in Hz; set by the device
	tail           [18]byte // bytes 30 and later, sent back unchanged
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
	b := make([]byte, 48)
	binary.LittleEndian.PutUint16(b[0:], p.Hint)
	b[2], b[3] = p.Format, p.Frame
	binary.LittleEndian.PutUint32(b[4:], p.Interval)
	binary.LittleEndian.PutUint32(b[18:], p.MaxFrameSize)
	binary.LittleEndian.PutUint32(b[22:], p.MaxPayloadSize)
	binary.LittleEndian.PutUint32(b[26:], p.Clock)
	copy(b[30:], p.tail[:])
	return b[:ProbeLength(version)]
}

// DecodeProbe parses a structure, which must have all fields of version 1.0.
func DecodeProbe(b []byte) (Probe, error) {
	if len(b) < 26 {
		return Probe{}, fmt.Errorf("probe has %d bytes, want at least 26", len(b))
	}
	b = append(slices.Clone(b), make([]byte, 48)...)
	p := Probe{
		Hint:           binary.LittleEndian.Uint16(b[0:]),
		Format:         b[2],
		Frame:          b[3],
		Interval:       binary.LittleEndian.Uint32(b[4:]),
		MaxFrameSize:   binary.LittleEndian.Uint32(b[18:]),
		MaxPayloadSize: binary.LittleEndian.Uint32(b[22:]),
		Clock:          binary.LittleEndian.Uint32(b[26:]),
	}
	copy(p.tail[:], b[30:])
	return p, nil
}
