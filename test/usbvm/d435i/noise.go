package d435i

import "math"

// Noise is a scene without a meaning: every frame differs from every other, and
// each is known from its number alone.
type Noise struct{}

// Pixels fills dst with a sequence that begins at a place the number names.
func (Noise) Pixels(m Mode, n uint32, dst []byte) {
	state := uint64(n)*0x9e3779b97f4a7c15 + uint64(m.W)<<32 + uint64(m.Code[0])
	i := 0
	for ; i+8 <= len(dst); i += 8 {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		for k := range 8 {
			dst[i+k] = byte(state >> (8 * k))
		}
	}
	for ; i < len(dst); i++ {
		dst[i] = byte(n) + byte(i)
	}
}

// Motion is a camera at rest that is rocked a little.
func (Noise) Motion(gyro bool, n uint32) [3]float64 {
	s, c := math.Sincos(float64(n) / 50)
	if gyro {
		return [3]float64{0.1 * s, 0.2 * c, -0.05 * s}
	}
	return [3]float64{0.3 * s, -9.80665, 0.2 * c}
}
