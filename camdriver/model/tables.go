package model

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Ids of calibration tables, which OpGetCalibration reads.
const (
	TableDepth  = 25
	TableColor  = 32
	TableEEPROM = 9 // the motion module's, which OpReadMotionTab reads
)

// Offsets in the depth table: the baseline in mm, and four floats (fx, fy, ppx, ppy) for each of RectifiedSizes.
const (
	BaselineAt  = 160
	RectifiedAt = 256
)

// RectifiedSizes are the image sizes in the depth table, in its order.
var RectifiedSizes = [16][2]int{
	{1920, 1080}, {1280, 720}, {640, 480}, {848, 480}, {640, 360}, {424, 240}, {320, 240}, {480, 270},
	{1280, 800}, {960, 540}, {}, {}, {640, 400}, {576, 576}, {720, 720}, {1152, 1152},
}

// Offsets in the colour table: a camera matrix by rows for images that span -1 to 1, five coefficients, the size
// of the calibration's image, and the pose: a rotation by columns and a translation in mm.
const (
	ColorMatrixAt      = 16
	ColorCoeffsAt      = 52
	ColorSizeAt        = 144
	ColorRotationAt    = 184
	ColorTranslationAt = 220
)

// Offsets in the motion module's EEPROM: its table, and in that whether pose and corrections are valid, the pose from
// depth, and for each sensor nine sensitivities by columns and three biases.
const (
	MotionVersion = 0x0101
	MotionAt      = 32

	MotionPoseAt        = 16
	MotionValidAt       = 17
	MotionRotationAt    = 20
	MotionTranslationAt = 56
	AccelAt             = 68
	GyroAt              = 116
)

const (
	tableHeader  = 16
	tableSizeAt  = 4
	tableCRCAt   = 12
	tableVersion = 0x0200
)

// tableBody returns what the checksum of a table covers, or nil if the table is shorter than its header says.
func tableBody(b []byte) []byte {
	if len(b) < tableHeader {
		return nil
	}
	size := binary.LittleEndian.Uint32(b[tableSizeAt:])
	if uint64(size) > uint64(len(b)-tableHeader) {
		return nil
	}
	return b[tableHeader : tableHeader+int(size)]
}

// SealTable writes the header of a table that fills b.
func SealTable(b []byte, id uint16) []byte {
	binary.BigEndian.PutUint16(b, tableVersion)
	binary.LittleEndian.PutUint16(b[2:], id)
	binary.LittleEndian.PutUint32(b[tableSizeAt:], uint32(len(b)-tableHeader))
	binary.LittleEndian.PutUint32(b[tableCRCAt:], crc32.ChecksumIEEE(b[tableHeader:]))
	return b
}

// CheckTable checks a calibration table and returns it with its header, truncated to the size in the header. Both
// together must be at least need bytes.
func CheckTable(id uint16, b []byte, need int) ([]byte, error) {
	if len(b) < tableHeader {
		return nil, fmt.Errorf("calibration table %d has %d bytes and no header", id, len(b))
	}
	if got := binary.LittleEndian.Uint16(b[2:]); got != id {
		return nil, fmt.Errorf("requested calibration table %d, got %d", id, got)
	}
	body := tableBody(b)
	if body == nil {
		return nil, fmt.Errorf("calibration table %d claims %d bytes, got %d", id, binary.LittleEndian.Uint32(b[tableSizeAt:]), len(b)-tableHeader)
	}
	if want, got := binary.LittleEndian.Uint32(b[tableCRCAt:]), crc32.ChecksumIEEE(body); got != want {
		return nil, fmt.Errorf("calibration table %d: CRC-32 is %08x, want %08x", id, got, want)
	}
	b = b[:tableHeader+len(body)]
	if len(b) < need {
		return nil, fmt.Errorf("calibration table %d has %d bytes, want at least %d", id, len(b), need)
	}
	return b, nil
}
