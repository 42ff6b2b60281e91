package d435i

import (
	"encoding/binary"

	"rsros/camdriver/model"
)

// Values that every frame's metadata carries, for tests to compare with.
const (
	MetaExposure    = 8500 // µs, depth
	MetaGain        = 16
	MetaLaserPower  = 150
	MetaHalf        = 4250 // µs from mid-exposure to the timestamp
	MetaWhite       = 4600
	MetaColorUnits  = 156 // colour exposure in 100 µs
	MetaColorGain   = 64
	MetaBrightness  = -3
	MetaTemperature = 4700
)

// header returns a payload header: UVC's twelve bytes, then RealSense blocks.
func (c *Camera) header(color bool, m Mode, number, pts uint32) []byte {
	h := []byte{0, 0x8e | byte(number&1)} // EOH, SCR, PTS, EOF and the toggle
	h = binary.LittleEndian.AppendUint32(h, pts)
	h = binary.LittleEndian.AppendUint32(h, pts)
	h = binary.LittleEndian.AppendUint16(h, 0)
	h = append(h, block(model.BlockTiming, 40, 1, 0x3f, number, MetaHalf, 0, MetaExposure, uint32(1_000_000/m.FPS), 0)...)
	h = append(h, stats(pts)...)
	if color {
		brightness := int32(MetaBrightness)
		h = append(h, block(model.BlockRGBControl, 72, 1, 0x3fff, uint32(brightness), 50, 64, 50, 8, MetaTemperature, MetaColorGain,
			0, 300, 0, MetaColorUnits, MetaWhite, 3, 0)...)
	} else {
		h = append(h, c.depthControl(m, number)...)
	}
	h = append(h, c.frameConfiguration(color, m, number)...)
	h[0] = byte(len(h))
	return h
}

// block returns id, size, version, flags and 32-bit fields, padded to size.
func block(id, size, version, flags uint32, fields ...uint32) []byte {
	b := make([]byte, 0, size)
	for _, v := range append([]uint32{id, size, version, flags}, fields...) {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(b, make([]byte, int(size)-len(b))...)
}

// stats returns the only block without a version.
func stats(pts uint32) []byte {
	b := make([]byte, 80)
	binary.LittleEndian.PutUint32(b[0:], model.BlockStats)
	binary.LittleEndian.PutUint32(b[4:], 80)
	binary.LittleEndian.PutUint32(b[8:], 0x21) // hardware time and white balance
	binary.LittleEndian.PutUint32(b[12:], pts)
	binary.LittleEndian.PutUint32(b[48:], MetaWhite)
	return b
}

func (c *Camera) depthControl(m Mode, number uint32) []byte {
	shot := c.shot(number)
	b := block(model.BlockDepthControl, 60, 1, 0x1ff, shot.gain, shot.exposure, uint32(c.controls[address{0, depthXU, 4}].cur),
		uint32(c.controls[address{0, depthXU, 0x0b}].cur), 0, 0, uint32(m.W-1), 0, uint32(m.H-1), 0)
	b[56] = shot.emitter
	return b
}

func (c *Camera) frameConfiguration(color bool, m Mode, number uint32) []byte {
	flags := uint32(0x70)
	if !color {
		flags |= 1 << 10
	}
	b := block(model.BlockConfiguration, 40, 2, flags)
	binary.LittleEndian.PutUint32(b[35:], c.sequence.info(number))
	binary.LittleEndian.PutUint16(b[24:], uint16(m.W))
	binary.LittleEndian.PutUint16(b[26:], uint16(m.H))
	binary.LittleEndian.PutUint16(b[28:], uint16(m.FPS))
	return b
}
