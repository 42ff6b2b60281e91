package sim

import (
	"math"
	"time"

	"rsros/camdriver"
)

// frame returns frame k of the grid, or nil if consumers hold all buffers of the
// stream.
func (st *stream) frame(k int64, number uint64, now time.Time) *camdriver.Frame {
	set, dev, kind := st.s.settings.Load(), st.s.dev, st.profile.Stream.Kind
	f := st.image(k, set.look)
	if f == nil {
		return nil
	}
	f.Profile, f.Number, f.Arrival = st.profile, number, now
	due := st.grid.time(k)
	ticks := dev.ticks(due)
	f.Timestamp, f.Domain = float64(ticks)/1e3, camdriver.HardwareClock
	if set.value(camdriver.OptionGlobalTimeEnabled) != 0 {
		f.Timestamp, f.Domain = float64(due.UnixNano())/1e6, camdriver.GlobalTime
	}
	f.Metadata = st.metadata(set, number, ticks, now)
	t := math.Mod(float64(k%st.loopFrames)/float64(st.grid.fps)+phase(kind).Seconds(), dev.opt.Loop.Seconds())
	switch kind {
	case camdriver.Depth:
		f.DepthUnits = depthUnits
	case camdriver.Gyro, camdriver.Accel:
		f.Motion = dev.world.motion(kind, t, uint64(k))
	case camdriver.Pose:
		f.Pose = dev.world.pose(t)
	}
	return f
}

// ticks returns the time of the hardware clock in microseconds.
func (d *Device) ticks(at time.Time) int64 {
	return int64(float64(at.Sub(d.opened)) / float64(time.Microsecond) * (1 - d.opt.Drift*1e-6))
}

// image returns a frame with the pixels of frame k, if the stream has pixels.
func (st *stream) image(k int64, want look) *camdriver.Frame {
	if st.loop == nil {
		return camdriver.NewFrame(nil)
	}
	b := st.loop.image(k, want)
	if b == nil {
		return nil
	}
	f := camdriver.NewFrame(b)
	f.Data, f.Width, f.Height = b.Bytes, st.profile.Width, st.profile.Height
	f.Stride = len(b.Bytes) / f.Height
	return f
}

// metadata returns the metadata that a D435i sends with a frame, in key order. ticks is
// the hardware clock in µs. Exposure is in the unit of the sensor's option. Actual Fps
// is in frames per 1000 s, as in the SDK since 2.54.
func (st *stream) metadata(set *settings, number uint64, ticks int64, now time.Time) []camdriver.MetadataValue {
	out := make(metadata, 0, 20)
	out.put(camdriver.MetaFrameCounter, int64(number))
	out.put(camdriver.MetaFrameTimestamp, ticks)
	kind := st.profile.Stream.Kind
	if kind.Video() {
		exposure := set.integer(camdriver.OptionExposure)
		middle := exposure / 2 // µs
		if kind == camdriver.Color {
			middle *= 100
		}
		out.put(camdriver.MetaSensorTimestamp, ticks-middle)
		out.put(camdriver.MetaActualExposure, exposure)
		out.put(camdriver.MetaGainLevel, set.integer(camdriver.OptionGain))
		out.put(camdriver.MetaAutoExposure, set.integer(camdriver.OptionEnableAutoExposure))
	}
	if kind == camdriver.Color {
		out.put(camdriver.MetaWhiteBalance, set.integer(camdriver.OptionWhiteBalance))
	}
	out.put(camdriver.MetaTimeOfArrival, now.UnixMilli())
	out.put(camdriver.MetaBackendTimestamp, now.UnixMilli())
	out.put(camdriver.MetaActualFps, int64(st.profile.FPS)*1000)
	switch kind {
	case camdriver.Depth, camdriver.Infrared:
		out.put(camdriver.MetaFrameLaserPower, set.integer(camdriver.OptionLaserPower))
		out.put(camdriver.MetaFrameLaserPowerMode, set.integer(camdriver.OptionEmitterEnabled))
		region := camdriver.FullROI(st.profile.Width, st.profile.Height)
		if set.region != nil {
			region = *set.region
		}
		out.put(camdriver.MetaExposureRoiLeft, int64(region.Left))
		out.put(camdriver.MetaExposureRoiRight, int64(region.Right))
		out.put(camdriver.MetaExposureRoiTop, int64(region.Top))
		out.put(camdriver.MetaExposureRoiBottom, int64(region.Bottom))
		out.put(camdriver.MetaFrameEmitterMode, set.integer(camdriver.OptionEmitterEnabled))
	case camdriver.Color:
		out.put(camdriver.MetaBrightness, set.integer(camdriver.OptionBrightness))
		out.put(camdriver.MetaContrast, set.integer(camdriver.OptionContrast))
		out.put(camdriver.MetaSaturation, set.integer(camdriver.OptionSaturation))
		out.put(camdriver.MetaSharpness, set.integer(camdriver.OptionSharpness))
	}
	if kind.Video() {
		out.put(camdriver.MetaRawFrameSize, int64(st.profile.FrameSize()))
	}
	return out
}

type metadata []camdriver.MetadataValue

func (m *metadata) put(k camdriver.MetadataKey, v int64) {
	*m = append(*m, camdriver.MetadataValue{Key: k, Value: v})
}
