package d435i

import (
	"encoding/binary"
	"slices"

	"rsros/camdriver/model"
)

// sequence is a sub-preset.
type sequence struct {
	raw   []byte // as received; nil if there is none
	named bool   // AlternatingName, of old firmware
	model.Sequence
}

func (c *Camera) setSequence(b []byte) int32 {
	if len(b) == 0 {
		c.sequence = sequence{}
		return 0
	}
	if string(b) == string(model.NamedAlternating()) && c.opt.Firmware.Less(model.HDRFirmware) {
		laser := func(v uint32) model.SequenceFrame {
			return model.SequenceFrame{{Control: model.SequenceLaser, Value: v}}
		}
		c.sequence = sequence{raw: slices.Clone(b), named: true,
			Sequence: model.Sequence{Frames: []model.SequenceFrame{laser(0), laser(1)}}}
		return 0
	}
	s, ok := model.ParseSequence(b)
	if !ok {
		return model.BadParameter
	}
	c.sequence = sequence{raw: slices.Clone(b), Sequence: s}
	return 0
}

// ask returns the sequence, or only its id.
func (s sequence) ask(id bool) ([]byte, int32) {
	switch {
	case s.raw == nil:
		return nil, model.NoData
	case id && s.named:
		return []byte(model.AlternatingName), 0
	case id:
		return []byte{s.ID}, 0
	}
	return s.raw, 0
}

// info returns the field of a frame's metadata: 4 bits id, 8 bits size, 8 bits place.
func (s sequence) info(number uint32) uint32 {
	if s.raw == nil {
		return 0
	}
	size := uint32(len(s.Frames))
	return uint32(s.ID) | size<<4 | number%size<<12
}

// shot is the settings of a frame.
type shot struct {
	exposure, gain uint32
	emitter        uint8
}

func (c *Camera) shot(number uint32) shot {
	s := shot{
		uint32(c.controls[stereo(model.XUExposure)].cur), uint32(c.controls[depthGain].cur),
		uint8(c.controls[stereo(model.XUEmitter)].cur),
	}
	if c.sequence.raw == nil {
		return s
	}
	for _, v := range c.sequence.Frames[number%uint32(len(c.sequence.Frames))] {
		switch v.Control {
		case model.SequenceExposure:
			s.exposure = v.Value
		case model.SequenceGain:
			s.gain = v.Value
		case model.SequenceLaser:
			s.emitter = uint8(v.Value)
		}
	}
	return s
}

// applySettings applies settings to pixels: depth units to depth, and exposure and gain to grey
// images if they aren't automatic. A Scene has the pixels for the defaults.
func (c *Camera) applySettings(m Mode, number uint32, b []byte) {
	auto := c.controls[stereo(model.XUAutoExposure)].cur != 0 && c.sequence.raw == nil
	shot, units := c.shot(number), c.advanced.units()
	light, usual := uint64(shot.exposure)*uint64(shot.gain), uint64(MetaExposure*MetaGain)
	switch {
	case m.Code == model.CodeZ16 || m.Code == model.CodeD16:
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
	case (m.Code == model.CodeL8 || m.Code == model.CodeY8I) && !auto && light != usual:
		for i, v := range b {
			b[i] = uint8(min(uint64(v)*light/usual, 0xff))
		}
	}
}

// autoCalibration reads and writes the limits as old firmware does. It refuses to calibrate.
func (c *Camera) autoCalibration(p [4]uint32) ([]byte, int32) {
	old := c.opt.Firmware.Less(model.LimitsFirmware)
	switch {
	case old && p[0] == model.OldSetLimits:
		c.limits = [2]uint32{p[1], p[2]}
		return nil, 0
	case old && p[0] == model.OldGetLimits:
		b := binary.LittleEndian.AppendUint32(nil, c.limits[0])
		return binary.LittleEndian.AppendUint32(b, c.limits[1]), 0
	}
	return nil, model.WrongState
}
