package d435i

import (
	"context"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// Source supplies a camera's frames in place of a Scene. Its methods may be called from any goroutine.
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
	// Set is called when a host has set an option of a stream's sensor.
	Set(stream camdriver.StreamID, option camdriver.OptionID, value float32)
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

// sourceHeader returns a payload header with the metadata of a Source's frame.
func (c *Camera) sourceHeader(color bool, m Mode, s Shot) []byte {
	flags, half := uint32(1), uint32(0)
	stamp, ok1 := s.Meta(camdriver.MetaFrameTimestamp)
	middle, ok2 := s.Meta(camdriver.MetaSensorTimestamp)
	if ok1 && ok2 {
		flags, half = flags|2, uint32(stamp-middle)
	}
	white, known := s.Meta(camdriver.MetaWhiteBalance)
	get := s.Meta
	if !color {
		get = c.withHostSettings(s)
	}
	return c.payloadHeader(color, m, s.Number, s.Time,
		model.Block(model.BlockTiming, 40, 1, flags, s.Number, half), model.StatsBlock(s.Time, white, known),
		model.ControlBlock(color, get))
}

// withHostSettings returns the metadata of a stereo frame with the exposure, gain and emitter that the host has set.
func (c *Camera) withHostSettings(s Shot) func(camdriver.MetadataKey) (int64, bool) {
	auto := c.controls[stereo(model.XUAutoExposure)].cur != 0
	if auto && c.sequence.raw == nil {
		return s.Meta
	}
	shot := c.shot(s.Number)
	own := map[camdriver.MetadataKey]int64{
		camdriver.MetaActualExposure: int64(shot.exposure), camdriver.MetaGainLevel: int64(shot.gain),
		camdriver.MetaAutoExposure: 0, camdriver.MetaFrameEmitterMode: int64(shot.emitter),
	}
	return func(k camdriver.MetadataKey) (int64, bool) {
		if v, ok := own[k]; ok {
			return v, true
		}
		return s.Meta(k)
	}
}

// sampleTurn returns the turn of a read of a Source's samples.
func (c *Camera) sampleTurn() turn {
	var rates [2]int
	for i, id := range []uint8{model.ReportGyro, model.ReportAccel} {
		if s := c.power[id]; s.power == model.PowerOn {
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
			id := uint8(model.ReportAccel)
			if s.Gyro {
				id = model.ReportGyro
			}
			return c.report(id, s.Time, s.Value).Encode()
		},
	}
}
