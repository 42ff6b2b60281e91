package model

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// Offsets in the device description (GVD), at those of the SDK's table.
const (
	gvdVersion    = 2  // of the description
	gvdFirmware   = 12 // four bytes, the least significant part first
	gvdLocked     = 25
	GVDSerial     = 48 // of the optical module
	GVDASICSerial = 64
	gvdFisheye    = 112 // 0xffff: none
	gvdAccelChip  = 124
	gvdHardware   = 158
	gvdSealed     = 161
	gvdIRFilter   = 164
	gvdShutter    = 166 // globalShutter, or rolling
	gvdProjector  = 170
	gvdColor      = 174
	gvdMotion     = 178

	// GVDSize is the size up to the last field that ParseGVD reads.
	GVDSize = gvdMotion + 1

	gvdReply      = 600
	globalShutter = 2

	hardwareD401 = 7 // otherwise like a D405
	// filterVersion is the first version of the description that says whether a camera is sealed and has an infrared
	// filter.
	filterVersion = 4
)

// capableFirmware is the first that describes the camera's capabilities.
var capableFirmware = Version{5, 10, 4, 0}

// Chips of the accelerometer.
const (
	ChipBMI055 = 0xfa
	ChipBMI085 = 0x1f
	ChipBMI088 = 0x1e
)

// SerialNumber identifies a camera or its ASIC. Users know it as hexadecimal digits.
type SerialNumber [6]byte

func (s SerialNumber) String() string { return strings.ToUpper(hex.EncodeToString(s[:])) }

// Version is a firmware version, most significant part first.
type Version [4]uint8

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3]) }

// Less reports whether v is older than w.
func (v Version) Less(w Version) bool { return bytes.Compare(v[:], w[:]) < 0 }

// GVD is the device's description.
type GVD struct {
	Firmware      Version
	Serial        SerialNumber // of the optical module; what users call the serial number
	ASICSerial    SerialNumber // as in the USB string descriptor
	Locked        bool
	AccelChip     uint8
	HasRGB        bool
	HasIMU        bool
	GlobalShutter bool
	Projector     bool
	Hardware      uint8 // type
	Sealed        bool  // against dust and water (IP65)
	IRFilter      bool
}

// ParseGVD parses the reply to OpGVD.
func ParseGVD(b []byte) (GVD, error) {
	if len(b) < GVDSize {
		return GVD{}, fmt.Errorf("device description (GVD) has %d bytes, want at least %d", len(b), GVDSize)
	}
	g := GVD{
		Firmware:      Version{b[gvdFirmware+3], b[gvdFirmware+2], b[gvdFirmware+1], b[gvdFirmware]},
		Locked:        b[gvdLocked] != 0,
		Serial:        SerialNumber(b[GVDSerial:]),
		ASICSerial:    SerialNumber(b[GVDASICSerial:]),
		AccelChip:     b[gvdAccelChip],
		GlobalShutter: b[gvdShutter] == globalShutter,
		Projector:     b[gvdProjector] != 0,
		HasRGB:        b[gvdColor] != 0,
		HasIMU:        b[gvdMotion] != 0,
	}
	if !g.Firmware.Less(capableFirmware) {
		filters := b[gvdVersion] >= filterVersion
		g.Hardware, g.Sealed, g.IRFilter = b[gvdHardware], filters && b[gvdSealed] == 1, filters && b[gvdIRFilter] == 1
	}
	if g.Firmware == (Version{}) || g.Serial == (SerialNumber{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) {
		return g, fmt.Errorf("device description (GVD) is blank: firmware %s, serial %s", g.Firmware, g.Serial)
	}
	return g, nil
}

// Encode returns the reply to OpGVD.
func (g GVD) Encode() []byte {
	b := make([]byte, gvdReply)
	fw := g.Firmware
	copy(b[gvdFirmware:], []byte{fw[3], fw[2], fw[1], fw[0]})
	copy(b[GVDSerial:], g.Serial[:])
	copy(b[GVDASICSerial:], g.ASICSerial[:])
	binary.LittleEndian.PutUint16(b[gvdFisheye:], 0xffff)
	b[gvdAccelChip], b[gvdHardware] = g.AccelChip, g.Hardware
	if g.Sealed || g.IRFilter {
		b[gvdVersion] = filterVersion
	}
	for at, set := range map[int]bool{gvdLocked: g.Locked, gvdProjector: g.Projector, gvdColor: g.HasRGB,
		gvdMotion: g.HasIMU, gvdSealed: g.Sealed, gvdIRFilter: g.IRFilter} {
		if set {
			b[at] = 1
		}
	}
	if g.GlobalShutter {
		b[gvdShutter] = globalShutter
	}
	return b
}

// IMUType is the SDK's name of the inertial sensors (its info Imu Type).
func (g GVD) IMUType() string {
	switch {
	case !g.HasIMU:
		return "IMU_Unknown"
	case g.AccelChip == ChipBMI085:
		return "BMI085"
	case g.AccelChip == ChipBMI088:
		return "BMI088"
	}
	return "BMI055" // of older firmware, too, which doesn't name it
}
