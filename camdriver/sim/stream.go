package sim

import (
	"context"
	"math"
	"time"

	"rsros/camdriver"
)

// grid is when the frames of a stream are due: frame k at start + k/fps,
// computed from k, so that no error adds up.
type grid struct {
	start time.Time
	fps   int64
}

// phase is where in the frame time a stream's grid starts. Depth and infrared
// share their exposures; the other sensors run on their own.
func phase(kind camdriver.StreamKind) time.Duration {
	switch kind {
	case camdriver.Color:
		return 4300 * time.Microsecond
	case camdriver.Gyro:
		return 1100 * time.Microsecond
	case camdriver.Accel:
		return 1700 * time.Microsecond
	case camdriver.Pose:
		return 900 * time.Microsecond
	}
	return 0
}

func newGrid(opened time.Time, p camdriver.Profile) grid {
	return grid{opened.Add(phase(p.Stream.Kind)), int64(p.FPS)}
}

func (g grid) time(k int64) time.Time {
	return g.start.Add(time.Duration(k/g.fps)*time.Second + time.Duration(k%g.fps*int64(time.Second)/g.fps))
}

// index is the last frame due at t, -1 if none is.
func (g grid) index(t time.Time) int64 {
	d := t.Sub(g.start)
	if d < 0 {
		return -1
	}
	k := int64(d/time.Second)*g.fps + int64(d%time.Second)*g.fps/int64(time.Second)
	if !g.time(k + 1).After(t) {
		k++ // time rounds down
	}
	return k
}

// stream raises the frames of one profile.
type stream struct {
	s          *sensor
	profile    camdriver.Profile
	grid       grid
	loop       *loop // of a video stream
	loopFrames int64
}

// raise sends frames to h from the first one due after now until ctx ends.
func (st *stream) raise(ctx context.Context, now time.Time, h camdriver.Handler) {
	clock := st.s.dev.opt.Clock
	first := st.grid.index(now) + 1
	for k := first; ; k++ {
		if clock.SleepUntil(ctx, st.grid.time(k)) != nil {
			return
		}
		now := clock.Now()
		if now.Sub(st.grid.time(k)) > lateness {
			newest := st.grid.index(now)
			st.s.drops.Add(newest - k)
			k = newest
		}
		f := st.frame(k, uint64(k-first+1), now)
		if f == nil {
			st.s.drops.Add(1)
			continue
		}
		if ctx.Err() == nil {
			h.Frame(st.s.number, f)
		}
		f.Release()
	}
}

// frame makes frame k of the grid. It is nil if every buffer of the stream is
// still held by somebody.
func (st *stream) frame(k int64, number uint64, now time.Time) *camdriver.Frame {
	set := st.s.settings.Load()
	var f *camdriver.Frame
	if st.loop != nil {
		b := st.loop.image(k, set.look)
		if b == nil {
			return nil
		}
		f = camdriver.NewFrame(b)
		f.Data, f.Width, f.Height = b.Bytes, st.profile.Width, st.profile.Height
		f.Stride = len(b.Bytes) / f.Height
	} else {
		f = camdriver.NewFrame(nil)
	}
	f.Profile, f.Number, f.Arrival = st.profile, number, now
	due := st.grid.time(k)
	ticks := due.Sub(st.s.dev.opened).Microseconds()
	if set.value(camdriver.OptionGlobalTimeEnabled) != 0 {
		f.Timestamp, f.Domain = float64(due.UnixNano())/1e6, camdriver.GlobalTime
	} else {
		f.Timestamp, f.Domain = float64(ticks)/1e3, camdriver.HardwareClock
	}
	f.Metadata = st.metadata(set, number, ticks, now)
	t := math.Mod(float64(k%st.loopFrames)/float64(st.grid.fps)+phase(st.profile.Stream.Kind).Seconds(), st.s.dev.opt.Loop.Seconds())
	switch kind := st.profile.Stream.Kind; kind {
	case camdriver.Depth:
		f.DepthUnits = depthUnits
	case camdriver.Gyro, camdriver.Accel:
		f.Motion = st.s.dev.world.motion(kind, t, uint64(k))
	case camdriver.Pose:
		f.Pose = st.s.dev.world.pose(t)
	}
	return f
}

// metadata gives what a D435i sends with a frame, in key order. ticks is the
// hardware clock in µs. Exposure is in the unit of the sensor's option, Actual
// Fps in frames per 1000 s as the SDK has it since 2.54.
func (st *stream) metadata(set *settings, number uint64, ticks int64, now time.Time) []camdriver.MetadataValue {
	out := make([]camdriver.MetadataValue, 0, 20)
	put := func(k camdriver.MetadataKey, v int64) {
		out = append(out, camdriver.MetadataValue{Key: k, Value: v})
	}
	option := func(id camdriver.OptionID) int64 { return int64(set.value(id)) }
	video := st.profile.Stream.Kind.Video()
	stereo := video && st.profile.Stream.Kind != camdriver.Color
	put(camdriver.MetaFrameCounter, int64(number))
	put(camdriver.MetaFrameTimestamp, ticks)
	if video {
		exposure := option(camdriver.OptionExposure)
		middle := exposure / 2
		if !stereo {
			middle *= 100
		}
		put(camdriver.MetaSensorTimestamp, ticks-middle)
		put(camdriver.MetaActualExposure, exposure)
		put(camdriver.MetaGainLevel, option(camdriver.OptionGain))
		put(camdriver.MetaAutoExposure, option(camdriver.OptionEnableAutoExposure))
	}
	if video && !stereo {
		put(camdriver.MetaWhiteBalance, option(camdriver.OptionWhiteBalance))
	}
	put(camdriver.MetaTimeOfArrival, now.UnixMilli())
	put(camdriver.MetaBackendTimestamp, now.UnixMilli())
	put(camdriver.MetaActualFps, int64(st.profile.FPS)*1000)
	if stereo {
		put(camdriver.MetaFrameLaserPower, option(camdriver.OptionLaserPower))
		put(camdriver.MetaFrameLaserPowerMode, option(camdriver.OptionEmitterEnabled))
		put(camdriver.MetaExposureRoiLeft, 0)
		put(camdriver.MetaExposureRoiRight, int64(st.profile.Width)-1)
		put(camdriver.MetaExposureRoiTop, 0)
		put(camdriver.MetaExposureRoiBottom, int64(st.profile.Height)-1)
		put(camdriver.MetaFrameEmitterMode, option(camdriver.OptionEmitterEnabled))
	} else if video {
		put(camdriver.MetaBrightness, option(camdriver.OptionBrightness))
		put(camdriver.MetaContrast, option(camdriver.OptionContrast))
		put(camdriver.MetaSaturation, option(camdriver.OptionSaturation))
		put(camdriver.MetaSharpness, option(camdriver.OptionSharpness))
	}
	if video {
		put(camdriver.MetaRawFrameSize, int64(st.profile.FrameSize()))
	}
	return out
}
