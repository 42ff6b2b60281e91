package d435i

import (
	"context"
	"encoding/binary"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// Source supplies a camera's frames in place of a Scene. Its methods may be called from
// any goroutine.
type Source interface {
	// Modes returns the modes that the streams offer.
	Modes() []Mode
	// Next waits for the next frame of a mode, which it starts if necessary.
	Next(ctx context.Context, m Mode) (Shot, error)
	// Stop ends a mode until the next call of Next.
	Stop(m Mode)
	// Sample waits for the next sample of the sensors with these rates in Hz; 0 is off.
	Sample(ctx context.Context, gyro, accel int) (Sample, error)
	// Clock returns the device's clock in µs. Frames and samples have its times.
	Clock() uint32
	// Set is called when a host has set a control.
	Set(iface, unit, selector uint8, value int32)
}

// Shot is a frame of a Source. Pixels is valid until the next call of Next for its mode.
type Shot struct {
	Number uint32
	Time   uint32 // µs
	Meta   func(camdriver.MetadataKey) (int64, bool)
	Pixels []byte
}

// Sample is a motion sample of a Source, in SI units and the camera's axes.
type Sample struct {
	Gyro  bool
	Time  uint32 // µs
	Value [3]float64
}

// formatsOf groups the modes of some formats as in the descriptors.
func formatsOf(modes []Mode, codes ...string) []model.Format {
	var list []model.Format
	for _, code := range codes {
		f := model.Format{Code: code}
		for _, m := range modes {
			if m.Code != code {
				continue
			}
			f.Bits = m.Bits
			if n := len(f.Sizes); n > 0 && f.Sizes[n-1].W == m.W && f.Sizes[n-1].H == m.H {
				f.Sizes[n-1].FPS = append(f.Sizes[n-1].FPS, m.FPS)
			} else {
				f.Sizes = append(f.Sizes, model.Size{W: m.W, H: m.H, FPS: []int{m.FPS}})
			}
		}
		if f.Sizes != nil {
			list = append(list, f)
		}
	}
	return list
}

// metaBlock returns a block with the fields that a frame has.
func metaBlock(id, size uint32, fields []model.Field, get func(camdriver.MetadataKey) (int64, bool)) []byte {
	b, flags := block(id, size, 1, 0), uint32(0)
	for _, f := range fields {
		if v, ok := get(f.Key); ok {
			var word [4]byte
			binary.LittleEndian.PutUint32(word[:], uint32(v))
			copy(b[f.At:], word[:max(f.Size, -f.Size)])
			flags |= 1 << f.Flag
		}
	}
	binary.LittleEndian.PutUint32(b[12:], flags)
	return b
}

// sourceHeader returns a payload header with the metadata of a Source's frame.
func (c *Camera) sourceHeader(color bool, m Mode, s Shot) []byte {
	h := []byte{0, 0x8e | byte(s.Number&1)}
	h = binary.LittleEndian.AppendUint32(h, s.Time)
	h = binary.LittleEndian.AppendUint32(h, s.Time)
	h = binary.LittleEndian.AppendUint16(h, 0)
	flags, half := uint32(1), uint32(0)
	stamp, ok1 := s.Meta(camdriver.MetaFrameTimestamp)
	middle, ok2 := s.Meta(camdriver.MetaSensorTimestamp)
	if ok1 && ok2 {
		flags, half = flags|2, uint32(stamp-middle)
	}
	h = append(h, block(model.BlockTiming, 40, 1, flags, s.Number, half)...)
	white := stats(s.Time)
	if v, ok := s.Meta(camdriver.MetaWhiteBalance); ok {
		binary.LittleEndian.PutUint32(white[48:], uint32(v))
	} else {
		binary.LittleEndian.PutUint32(white[8:], 1)
	}
	h = append(h, white...)
	if color {
		b := metaBlock(model.BlockRGBControl, 72, model.ColorFields, s.Meta)
		if v, ok := s.Meta(camdriver.MetaAutoExposure); ok {
			binary.LittleEndian.PutUint32(b[12:], binary.LittleEndian.Uint32(b[12:])|1<<4)
			b[32] = 1 + 7*uint8(v&1) // UVC's modes 1 and 8
		}
		h = append(h, b...)
	} else {
		h = append(h, metaBlock(model.BlockDepthControl, 60, model.DepthFields, c.withHostSettings(s))...)
	}
	h = append(h, c.frameConfiguration(color, m, s.Number)...)
	h[0] = byte(len(h))
	return h
}

// withHostSettings returns the metadata of a stereo frame with the exposure, gain and emitter that the
// host has set.
func (c *Camera) withHostSettings(s Shot) func(camdriver.MetadataKey) (int64, bool) {
	auto := c.controls[address{0, depthXU, 0x0b}].cur != 0
	if auto && c.sequence.raw == nil {
		return s.Meta
	}
	shot := c.shot(s.Number)
	return func(k camdriver.MetadataKey) (int64, bool) {
		switch k {
		case camdriver.MetaActualExposure:
			return int64(shot.exposure), true
		case camdriver.MetaGainLevel:
			return int64(shot.gain), true
		case camdriver.MetaAutoExposure:
			return 0, true
		case camdriver.MetaFrameEmitterMode:
			return int64(shot.emitter), true
		}
		return s.Meta(k)
	}
}

// sampleTurn returns the turn of a read of a Source's samples.
func (c *Camera) sampleTurn() turn {
	var rates [2]int
	for i, id := range []uint8{2, 1} {
		if s := c.power[id]; s.power == 2 {
			rates[i] = int(imuRate(id, s.interval) + 0.5)
		}
	}
	if rates == [2]int{} {
		return turn{Wait: until(time.Time{})}
	}
	var s Sample
	return turn{
		Wait: func(ctx context.Context) (err error) {
			s, err = c.opt.Source.Sample(ctx, rates[0], rates[1])
			return err
		},
		Take: func() []byte {
			id := uint8(1)
			if s.Gyro {
				id = 2
			}
			return c.encodeReport(id, s.Time, c.counts(s.Gyro, s.Value))
		},
	}
}
