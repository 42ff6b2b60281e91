package d400

import (
	"encoding/binary"
	"fmt"
)

// Selectors of a streaming interface.
const vsProbe, vsCommit = 1, 2

// probe is the part of UVC's probe and commit structure (UVC 1.5, table 4-75) that is
// used with uncompressed formats.
type probe struct {
	Hint           uint16 // bit 0: keep the interval
	Format         uint8
	Frame          uint8
	Interval       uint32   // in 100 ns
	MaxFrameSize   uint32   // bytes; set by the device
	MaxPayloadSize uint32   // bytes; set by the device
	tail           [22]byte // bytes 26 and later, sent back unchanged
}

// probeLength returns the size of the structure in a version of the class.
func probeLength(version uint16) int {
	switch {
	case version >= 0x0150:
		return 48
	case version >= 0x0110:
		return 34
	}
	return 26
}

// encode returns the request. The device determines the two sizes, so they are 0.
func (p probe) encode(version uint16) []byte {
	b := make([]byte, probeLength(version))
	binary.LittleEndian.PutUint16(b[0:], p.Hint)
	b[2], b[3] = p.Format, p.Frame
	binary.LittleEndian.PutUint32(b[4:], p.Interval)
	copy(b[26:], p.tail[:])
	return b
}

// decodeProbe parses a device's reply, which must have all fields of version 1.0.
func decodeProbe(b []byte) (probe, error) {
	if len(b) < 26 {
		return probe{}, fmt.Errorf("probe reply has %d bytes, want at least 26", len(b))
	}
	p := probe{
		Hint:           binary.LittleEndian.Uint16(b[0:]),
		Format:         b[2],
		Frame:          b[3],
		Interval:       binary.LittleEndian.Uint32(b[4:]),
		MaxFrameSize:   binary.LittleEndian.Uint32(b[18:]),
		MaxPayloadSize: binary.LittleEndian.Uint32(b[22:]),
	}
	copy(p.tail[:], b[26:])
	return p, nil
}
