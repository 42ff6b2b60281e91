package model

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// Ids of calibration tables, which OpGetCalibration reads.
const (
	TableDepth  = 25
	TableColor  = 32
	TableEEPROM = 9 // the motion module's, which OpReadMotionTab reads
)

// codec reads fields of a table, or writes them to it. Each table lists its fields once.
type codec struct {
	b     []byte
	write bool
}

func (c codec) floats(at int, fields ...*float64) {
	for i, v := range fields {
		b := c.b[at+4*i:]
		if c.write {
			binary.LittleEndian.PutUint32(b, math.Float32bits(float32(*v)))
		} else {
			*v = float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	}
}

// scaled is a vector in units of unit.
func (c codec) scaled(at int, v *[3]float64, unit float64) {
	for i := range v {
		x := v[i] / unit
		c.floats(at+4*i, &x)
		if !c.write {
			v[i] = x * unit
		}
	}
}

// matrix is a 3x3 matrix by rows, by columns in the table.
func (c codec) matrix(at int, m *[9]float64) {
	for i := range m {
		c.floats(at+4*i, &m[3*(i%3)+i/3])
	}
}

func (c codec) size(at int, fields ...*int) {
	for i, v := range fields {
		b := c.b[at+2*i:]
		if c.write {
			binary.LittleEndian.PutUint16(b, uint16(*v))
		} else {
			*v = int(binary.LittleEndian.Uint16(b))
		}
	}
}

func finite(list ...float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

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
		return nil, fmt.Errorf("calibration table %d claims %d bytes, got %d", id,
			binary.LittleEndian.Uint32(b[tableSizeAt:]), len(b)-tableHeader)
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
