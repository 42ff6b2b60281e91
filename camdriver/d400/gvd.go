package d400

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"rsros/camdriver/model"
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

// gvdSize is the length up to the last field that parseGVD reads.
const gvdSize = model.GVDMotion + 1

// parseGVD parses the fields that the driver uses,.
func parseGVD(b []byte) (gvd, error) {
	if len(b) < gvdSize {
		return gvd{}, fmt.Errorf("device description (GVD) has %d bytes, want at least %d", len(b), gvdSize)
	}
	g := gvd{
		Firmware:      version{b[model.GVDFirmware+3], b[model.GVDFirmware+2], b[model.GVDFirmware+1], b[model.GVDFirmware]},
		Locked:        b[model.GVDLocked] != 0,
		Serial:        strings.ToUpper(hex.EncodeToString(b[model.GVDSerial:][:model.SerialSize])),
		ASICSerial:    strings.ToUpper(hex.EncodeToString(b[model.GVDASICSerial:][:model.SerialSize])),
		AccelChip:     b[model.GVDAccelChip],
		GlobalShutter: b[model.GVDShutter] == model.GlobalShutter,
		Projector:     b[model.GVDProjector] != 0,
		HasRGB:        b[model.GVDColor] != 0,
		HasIMU:        b[model.GVDMotion] != 0,
	}
	if g.Firmware == (version{}) || bytes.Count(b[model.GVDSerial:][:model.SerialSize], []byte{0xff}) == model.SerialSize {
		return g, fmt.Errorf("device description (GVD) is blank: firmware %s, serial %s", g.Firmware, g.Serial)
	}
	return g, nil
}

// imuType is the SDK's name of the inertial sensors (its info Imu Type).
func (g gvd) imuType() string {
	switch {
	case !g.HasIMU:
		return "IMU_Unknown"
	case g.AccelChip == model.ChipBMI085:
		return "BMI085"
	case g.AccelChip == model.ChipBMI088:
		return "BMI088"
	}
	return "BMI055" // of older firmware, too, which doesn't name it
}

// version is a firmware version, most significant part first.
type version [4]uint8

func (v version) String() string { return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3]) }

func (v version) less(w version) bool { return bytes.Compare(v[:], w[:]) < 0 }
