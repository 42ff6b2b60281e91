package d435i

import (
	"encoding/binary"
	"slices"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
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
	timing := model.Block(model.BlockTiming, 40, 1, 0x3f, number, MetaHalf, 0, MetaExposure, uint32(1_000_000/m.FPS), 0)
	brightness := int32(MetaBrightness)
	control := model.Block(model.BlockRGBControl, 72, 1, 0x3fff, uint32(brightness), 50, 64, 50, 8,
		MetaTemperature, MetaColorGain,
		0, 300, 0, MetaColorUnits, MetaWhite, 3, 0)
	if !color {
		control = c.depthControl(m, number)
	}
	return c.payloadHeader(color, m, number, pts, timing, model.StatsBlock(pts, MetaWhite, true), control)
}

// payloadHeader returns a header of blocks and of the frame's configuration.
func (c *Camera) payloadHeader(color bool, m Mode, number, pts uint32, blocks ...[]byte) []byte {
	blocks = append(blocks, c.frameConfiguration(color, m, number))
	return uvc.Header{Info: uvc.HeaderEOF | uint8(number&1), PTS: pts, Rest: slices.Concat(blocks...)}.Encode()
}

func (c *Camera) depthControl(m Mode, number uint32) []byte {
	shot := c.shot(number)
	b := model.Block(model.BlockDepthControl, 60, 1, 0x1ff, shot.gain, shot.exposure,
		uint32(c.controls[stereo(model.XULaserPower)].cur),
		uint32(c.controls[stereo(model.XUAutoExposure)].cur), 0, 0, uint32(m.W-1), 0, uint32(m.H-1), 0)
	b[56] = shot.emitter
	return b
}

func (c *Camera) frameConfiguration(color bool, m Mode, number uint32) []byte {
	flags := uint32(0x70)
	if !color {
		flags |= 1 << 10
	}
	b := model.Block(model.BlockConfiguration, 40, 2, flags)
	binary.LittleEndian.PutUint32(b[35:], c.sequence.info(number))
	binary.LittleEndian.PutUint16(b[24:], uint16(m.W))
	binary.LittleEndian.PutUint16(b[26:], uint16(m.H))
	binary.LittleEndian.PutUint16(b[28:], uint16(m.FPS))
	return b
}
