package d400

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
)

// gvd is the device's description (GVD).
type gvd struct {
	Firmware      version
	Serial        string // of the optical module; what users call the serial number
	ASICSerial    string // as in the USB string descriptor
	Locked        bool
	AccelChip     uint8
	HasRGB        bool
	HasIMU        bool
	GlobalShutter bool
	Projector     bool
}

// Accelerometer types.
const (
	chipBMI055 = 0xfa
	chipBMI085 = 0x1f
	chipBMI088 = 0x1e
)

// gvdSize is the length up to the last field that parseGVD reads.
const gvdSize = 179

// parseGVD parses the fields that the driver uses, at the offsets of the SDK's table.
func parseGVD(b []byte) (gvd, error) {
	if len(b) < gvdSize {
		return gvd{}, fmt.Errorf("device description (GVD) has %d bytes, want at least %d", len(b), gvdSize)
	}
	g := gvd{
		Firmware:      version{b[15], b[14], b[13], b[12]},
		Locked:        b[25] != 0,
		Serial:        strings.ToUpper(hex.EncodeToString(b[48:54])),
		ASICSerial:    strings.ToUpper(hex.EncodeToString(b[64:70])),
		AccelChip:     b[124],
		GlobalShutter: b[166] == 2,
		Projector:     b[170] != 0,
		HasRGB:        b[174] != 0,
		HasIMU:        b[178] != 0,
	}
	if g.Firmware == (version{}) || bytes.Count(b[48:54], []byte{0xff}) == 6 {
		return g, fmt.Errorf("device description (GVD) is blank: firmware %s, serial %s", g.Firmware, g.Serial)
	}
	return g, nil
}

// imuType is the SDK's name of the inertial sensors (its info Imu Type).
func (g gvd) imuType() string {
	switch {
	case !g.HasIMU:
		return "IMU_Unknown"
	case g.AccelChip == chipBMI085:
		return "BMI085"
	case g.AccelChip == chipBMI088:
		return "BMI088"
	}
	return "BMI055" // of older firmware, too, which doesn't name it
}

// version is a firmware version, most significant part first.
type version [4]uint8

func (v version) String() string { return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3]) }

func (v version) less(w version) bool { return bytes.Compare(v[:], w[:]) < 0 }
