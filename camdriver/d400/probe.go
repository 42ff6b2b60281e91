package d400

import (
	"encoding/binary"
	"fmt"
)

// probe is the part of UVC's probe and commit structure (UVC 1.5, table 4-75)
// that a camera of uncompressed formats uses.
type probe struct {
	Hint           uint16 // bit 0: the interval is to be kept
	Format         uint8
	Frame          uint8
	Interval       uint32   // 100 ns
	MaxFrameSize   uint32   // bytes; the device's answer
	MaxPayloadSize uint32   // bytes; the device's answer
	tail           [22]byte // bytes 26 and on, sent back as they came
}

// probeLength is the structure's size in each version of the class.
func probeLength(version uint16) int {
	switch {
	case version >= 0x0150:
		return 48
	case version >= 0x0110:
		return 34
	}
	return 26
}

// encode lays the request out. The two sizes are the device's to say and are
// sent as 0, as the SDK sends them.
func (p probe) encode(version uint16) []byte {
	b := make([]byte, probeLength(version))
	binary.LittleEndian.PutUint16(b[0:], p.Hint)
	b[2], b[3] = p.Format, p.Frame
	binary.LittleEndian.PutUint32(b[4:], p.Interval)
	copy(b[26:], p.tail[:])
	return b
}

// decodeProbe reads a device's answer, which may be shorter than the version's
// length but must hold all fields of version 1.0.
func decodeProbe(b []byte) (probe, error) {
	if len(b) < 26 {
		return probe{}, fmt.Errorf("probe answer of %d bytes, want 26 or more", len(b))
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
