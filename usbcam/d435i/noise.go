package d435i

import (
	"encoding/binary"
	"math"
	"sync"
)

// Noise is a scene of noise. All frames differ, and each depends only on its mode and number.
type Noise struct{}

// Pixels writes the number, and then values of a table from an offset that depends on number and format.
func (Noise) Pixels(m Mode, n uint32, dst []byte) {
	table := noise()
	start := int(n*7919+uint32(m.Code[0])*104729+uint32(m.W)) % (len(table) / 2)
	for at := 0; at < len(dst); at += len(table) / 2 {
		copy(dst[at:], table[start:start+len(table)/2])
	}
	if len(dst) >= 4 {
		binary.LittleEndian.PutUint32(dst, n)
	}
}

// noise is the table that Pixels copies from. Copying is cheap even in an emulator.
var noise = sync.OnceValue(func() []byte {
	table := make([]byte, 128<<10)
	state := uint64(0x9e3779b97f4a7c15)
	for i := range table {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		table[i] = byte(state)
	}
	return table
})

// Motion returns gravity and small movements.
func (Noise) Motion(gyro bool, n uint32) [3]float64 {
	s, c := math.Sincos(float64(n) / 50)
	if gyro {
		return [3]float64{0.1 * s, 0.2 * c, -0.05 * s}
	}
	return [3]float64{0.3 * s, -9.80665, 0.2 * c}
}
