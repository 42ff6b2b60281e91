package sim

import (
	"math"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// frame returns frame k of the grid, or nil if consumers hold all buffers of the stream.
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
	t := math.Mod(float64(k%st.loopFrames)/float64(st.grid.fps)+phases[kind].Seconds(), dev.opt.Loop.Seconds())
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

// metadata returns the metadata that a D435i sends with a frame, in key order. ticks is the hardware clock in µs.
// Exposure is in the unit of the sensor's option. Actual Fps is in frames per 1000 s, as in the SDK since 2.54.
func (st *stream) metadata(set *settings, number uint64, ticks int64, now time.Time) []camdriver.MetadataValue {
	var m model.Metadata
	m.Set(camdriver.MetaFrameCounter, int64(number))
	m.Set(camdriver.MetaFrameTimestamp, ticks)
	m.Set(camdriver.MetaTimeOfArrival, now.UnixMilli())
	m.Set(camdriver.MetaBackendTimestamp, now.UnixMilli())
	m.Set(camdriver.MetaActualFps, int64(st.profile.FPS)*1000)
	kind := st.profile.Stream.Kind
	if !kind.Video() {
		return m.List()
	}
	m.Set(camdriver.MetaRawFrameSize, int64(st.profile.FrameSize()))
	middle := int64(set.value(camdriver.OptionExposure)) / 2 // µs
	if kind == camdriver.Color {
		middle *= 100
	}
	m.Set(camdriver.MetaSensorTimestamp, ticks-middle)
	for _, v := range optionMetadata {
		if o, ok := camdriver.FindOption(set.options, v.option); ok {
			m.Set(v.key, int64(o.Value))
		}
	}
	if kind != camdriver.Color {
		region := camdriver.FullROI(st.profile.Width, st.profile.Height)
		if set.region != nil {
			region = *set.region
		}
		m.Set(camdriver.MetaExposureRoiLeft, int64(region.Left))
		m.Set(camdriver.MetaExposureRoiRight, int64(region.Right))
		m.Set(camdriver.MetaExposureRoiTop, int64(region.Top))
		m.Set(camdriver.MetaExposureRoiBottom, int64(region.Bottom))
	}
	return m.List()
}

// optionMetadata are the options that a frame's metadata has, if its sensor has them.
var optionMetadata = []struct {
	key    camdriver.MetadataKey
	option camdriver.OptionID
}{
	{camdriver.MetaActualExposure, camdriver.OptionExposure},
	{camdriver.MetaGainLevel, camdriver.OptionGain},
	{camdriver.MetaAutoExposure, camdriver.OptionEnableAutoExposure},
	{camdriver.MetaWhiteBalance, camdriver.OptionWhiteBalance},
	{camdriver.MetaFrameLaserPower, camdriver.OptionLaserPower},
	{camdriver.MetaFrameLaserPowerMode, camdriver.OptionEmitterEnabled},
	{camdriver.MetaFrameEmitterMode, camdriver.OptionEmitterEnabled},
	{camdriver.MetaBrightness, camdriver.OptionBrightness},
	{camdriver.MetaContrast, camdriver.OptionContrast},
	{camdriver.MetaSaturation, camdriver.OptionSaturation},
	{camdriver.MetaSharpness, camdriver.OptionSharpness},
}
