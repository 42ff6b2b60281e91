package d435i

import (
	"encoding/binary"

	"rsros/camdriver/model"
)

// sequence is a sub-preset: frames with their own settings, repeated until it is replaced.
type sequence struct {
	raw   []byte // as received; nil if there is none
	items []map[uint8]uint32
}

// Controls of a sequence.
const (
	sequenceLaser    = 0
	sequenceExposure = 1
	sequenceGain     = 2
)

// setSequence parses a header of 5 bytes (its size, id, iterations, number of frames), and for each
// frame one of 4 (its size, iterations, number of controls) and the controls: id, value.
func (c *Camera) setSequence(b []byte) int32 {
	if len(b) == 0 {
		c.sequence = sequence{}
		return 0
	}
	s := sequence{raw: append([]byte(nil), b...)}
	if len(b) < 5 || b[0] != 5 || b[1] > 15 {
		return model.BadParameter
	}
	frames, rest := int(b[4]), b[5:]
	for range frames {
		if len(rest) < 4 || rest[0] != 4 || len(rest) < 4+5*int(rest[3]) {
			return model.BadParameter
		}
		item := map[uint8]uint32{}
		for i := range int(rest[3]) {
			at := rest[4+5*i:]
			item[at[0]] = binary.LittleEndian.Uint32(at[1:])
		}
		s.items = append(s.items, item)
		rest = rest[4+5*int(rest[3]):]
	}
	if len(rest) != 0 || frames == 0 {
		return model.BadParameter
	}
	c.sequence = s
	return 0
}

// ask returns the sequence, or only its id.
func (s sequence) ask(id bool) ([]byte, int32) {
	switch {
	case s.raw == nil:
		return nil, model.NoData
	case id:
		return s.raw[1:2], 0
	}
	return s.raw, 0
}

// info returns the field of a frame's metadata: 4 bits id, 8 bits size, 8 bits place.
func (s sequence) info(number uint32) uint32 {
	if s.raw == nil {
		return 0
	}
	size := uint32(len(s.items))
	return uint32(s.raw[1]) | size<<4 | number%size<<12
}

// shot is the settings of a frame.
type shot struct {
	exposure, gain uint32
	emitter        uint8
}

func (c *Camera) shot(number uint32) shot {
	s := shot{
		uint32(c.controls[address{0, depthXU, 3}].cur), uint32(c.controls[address{0, depthPU, 4}].cur),
		uint8(c.controls[address{0, depthXU, 2}].cur),
	}
	if c.sequence.raw == nil {
		return s
	}
	item := c.sequence.items[number%uint32(len(c.sequence.items))]
	if v, ok := item[sequenceExposure]; ok {
		s.exposure = v
	}
	if v, ok := item[sequenceGain]; ok {
		s.gain = v
	}
	if v, ok := item[sequenceLaser]; ok {
		s.emitter = uint8(v)
	}
	return s
}

// applySettings applies settings to pixels: depth units to depth, and exposure and gain to grey
// images if they aren't automatic. A Scene has the pixels for the defaults.
func (c *Camera) applySettings(m Mode, number uint32, b []byte) {
	auto := c.controls[address{0, depthXU, 0x0b}].cur != 0 && c.sequence.raw == nil
	shot, units := c.shot(number), c.advanced.units()
	light, usual := uint64(shot.exposure)*uint64(shot.gain), uint64(MetaExposure*MetaGain)
	switch {
	case m.Code == "Z16 " || m.Code == "\x50\x00\x00\x00":
		if units == defaultUnits {
			return
		}
		for i := 0; i+2 <= len(b); i += 2 {
			v := uint64(binary.LittleEndian.Uint16(b[i:])) * defaultUnits / uint64(units)
			if v > 0xffff {
				v = 0 // out of range
			}
			binary.LittleEndian.PutUint16(b[i:], uint16(v))
		}
	case (m.Code == "\x32\x00\x00\x00" || m.Code == "Y8I ") && !auto && light != usual:
		for i, v := range b {
			b[i] = uint8(min(uint64(v)*light/usual, 0xff))
		}
	}
}

// autoCalibration reads and writes the limits as old firmware does. It refuses to calibrate.
func (c *Camera) autoCalibration(p [4]uint32) ([]byte, int32) {
	fw := c.opt.Firmware
	old := fw[0] < 5 || fw[0] == 5 && fw[1] < 13
	switch {
	case old && p[0] == 4:
		c.limits = [2]uint32{p[1], p[2]}
		return nil, 0
	case old && p[0] == 5:
		b := binary.LittleEndian.AppendUint32(nil, c.limits[0])
		return binary.LittleEndian.AppendUint32(b, c.limits[1]), 0
	}
	return nil, model.WrongState
}
