package d400

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// stereoModule is the state of the stereo module's options.
type stereoModule struct {
	host      *hostSettings
	baseline  float32
	streaming func() bool
	units     atomic.Uint32 // bits of metres per unit of depth

	mu     sync.Mutex // held while an option is read or written (sensor.hold), and guards what follows
	hdr    hdr
	limits limits
}

// unplugged forgets what the camera has lost.
func (m *stereoModule) unplugged() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hdr.on, m.hdr.index, m.hdr.before, m.hdr.paused = false, 0, 0, nil
}

func (m *stereoModule) setUnits(v float32) { m.units.Store(math.Float32bits(v)) }

// The firmware versions that introduced options, as in the SDK.
var (
	alwaysOnFirmware    = model.Version{5, 12, 1, 0}
	syncFirmware        = model.Version{5, 9, 15, 1}
	genlockFirmware     = model.Version{5, 12, 4, 0}
	laserSyncFirmware   = model.Version{5, 12, 12, 100}
	alternatingFirmware = model.Version{5, 11, 3, 0}
	boundsFirmware      = model.Version{5, 12, 10, 11}
	syncByXUFirmware    = model.Version{5, 17, 2, 5}
)

// settings returns the options of the stereo module. The caller must hold mu.
func (m *stereoModule) settings(l *link, p model.Product) []setting {
	xu := func(selector uint8, size int) uvcControl { return uvcControl{at: l.depthXU(selector), size: size} }
	exposure := uvcOption(camdriver.OptionExposure, xu(model.XUExposure, 4),
		"Depth exposure in µs; setting it ends auto exposure").
		disablesAuto(camdriver.OptionEnableAutoExposure)
	gain := uvcOption(camdriver.OptionGain,
		uvcControl{at: uvc.Control{Interface: l.depth.Interface, Unit: l.depth.Processing, Selector: model.PUGain}},
		"Image gain").
		disablesAuto(camdriver.OptionEnableAutoExposure)
	auto := uvcOption(camdriver.OptionEnableAutoExposure, xu(model.XUAutoExposure, 1),
		"Auto exposure of the stereo imagers")
	laser := laserPower(l)
	emitter := uvcOption(camdriver.OptionEmitterEnabled, xu(model.XUEmitter, 1), "Emitter: 0 off, 1 laser, 2 auto, 3 LED")
	since := func(v model.Version) bool { return !l.id.Firmware.Less(v) }
	always := command(camdriver.OptionEmitterAlwaysOn, "Keep the emitter on between exposures", 1,
		model.OpLaserAlwaysOn, model.OpLaserAlwaysOn, 2)
	alternate := alternating(!since(model.HDRFirmware))
	alternateAlone := alternate.lockedBy(always)
	limits := append(m.limits.settings(0, exposure, camdriver.OptionAutoExposureLimit,
		camdriver.OptionAutoExposureLimitToggle),
		m.limits.settings(1, gain, camdriver.OptionAutoGainLimit, camdriver.OptionAutoGainLimitToggle)...)
	var sequence []setting
	if since(model.HDRFirmware) {
		m.hdr.exposure, m.hdr.auto, m.hdr.alternate = exposure, auto, alternate
		sequence = m.hdr.settings()
		exposure, gain = m.hdr.step(0, exposure), m.hdr.step(1, gain)
		for _, excluded := range []*setting{&auto, &alternateAlone, &laser, &emitter} {
			*excluded = excluded.lockedBy(sequence[0])
		}
	}
	global, projector := l.id.GlobalShutter, l.id.GlobalShutter && l.id.Projector
	syncXU := since(syncByXUFirmware)
	var list []setting
	for _, row := range []struct {
		has  bool // the camera has them
		list []setting
	}{
		{true, []setting{
			m.temperature(l, camdriver.OptionAsicTemperature, 1, "ASIC temperature in °C, while streaming"),
			m.host.errors.setting(camdriver.OptionErrorPollingEnabled, "Poll hardware errors once a second"),
			m.temperature(l, camdriver.OptionProjectorTemperature, 0, "Projector temperature in °C, while streaming"),
			m.depthUnits(l, p),
			fixed(camdriver.OptionStereoBaseline, m.baseline, "Distance between the imagers in mm"),
			m.host.globalTime(),
		}},
		{global && since(boundsFirmware), limits},
		{since(model.HDRFirmware), sequence},
		{true, []setting{exposure, gain, auto, laser, emitter}},
		{projector && since(alternatingFirmware), []setting{alternateAlone}},
		{projector && since(alwaysOnFirmware), []setting{always.lockedBy(alternate)}},
		{!p.Alone && syncXU, []setting{
			uvcOption(camdriver.OptionInterCamSyncMode, xu(model.XUSync, 1),
				"Synchronization of cameras: 0 default, 1 master, 2 slave"),
		}},
		{!p.Alone && !syncXU && since(syncFirmware), []setting{m.synchronization(l)}},
		{p.ID != model.D421, []setting{
			uvcOption(camdriver.OptionOutputTriggerEnabled, xu(model.XUOutputTrigger, 1),
				"Send a trigger pulse with each depth frame"),
		}},
		{p.Colored && !p.DepthColor && p.ID != model.D455, []setting{
			uvcOption(camdriver.OptionEnableAutoWhiteBalance, xu(model.XUAutoWhite, 1),
				"Automatic white balance of the left imager"),
		}},
		{p.DepthColor, colorSettings(l.depth, true)},
		{p.ID == model.D455, []setting{ // others stall
			uvcOption(camdriver.OptionDepthAutoExposureMode, xu(model.XUExposureMode, 1),
				"Auto exposure of the stereo imagers: 0 regular, 1 accelerated"),
			uvcOption(camdriver.OptionThermalCompensation, xu(model.XUThermal, 1), "Correct depth for the camera's temperature"),
			uvcOption(camdriver.OptionEmitterFrequency, xu(model.XUEmitterRate, 2),
				"Emitter frequency: 0 is 57 kHz, 1 is 91 kHz"),
		}},
	} {
		if row.has {
			list = append(list, row.list...)
		}
	}
	return list
}

// synchronization is the mode in which cameras wait for each other.
func (m *stereoModule) synchronization(l *link) setting {
	about, maximum := "Synchronization of cameras: 0 default, 1 master, 2 slave", float32(2)
	if l.id.GlobalShutter && !l.id.Firmware.Less(genlockFirmware) {
		about, maximum = about+", 3 full slave, 4 to 258 genlock with 1 to 255 frames a trigger", 258
		if !l.id.Firmware.Less(laserSyncFirmware) {
			about, maximum = about+", 259 and 260 with the laser in the first or the second of two", 260
		}
	}
	s := command(camdriver.OptionInterCamSyncMode, about, maximum, model.OpSetSyncMode, model.OpGetSyncMode)
	s.get = func(l *link) (float32, error) {
		b, err := l.ask(1, model.OpGetSyncMode)
		return decodeSync(b), err
	}
	s.set = func(l *link, v float32) error {
		if maximum > 2 && m.streaming() {
			return fmt.Errorf("the camera streams: %w", camdriver.ErrBusy)
		}
		_, err := l.command(model.OpSetSyncMode, nil, encodeSync(uint32(v)))
		return err
	}
	return s
}

// encodeSync returns the parameter for a mode. Its bytes are 4 for genlock, the frames for
// each trigger, and the frames with laser: 1 the first, 3 the second of two.
func encodeSync(mode uint32) uint32 {
	switch {
	case mode < 4:
		return mode
	case mode == 259:
		return 0x010204
	case mode == 260:
		return 0x030204
	}
	return 4 | (mode-3)<<8
}

func decodeSync(b []byte) float32 {
	var p [3]byte
	copy(p[:], b)
	switch {
	case p[0] < 4:
		return float32(p[0])
	case p[2] == 1:
		return 259
	case p[2] == 3:
		return 260
	}
	return float32(p[1]) + 3
}

// laserPower also sets the emitter to laser, because otherwise power has no effect.
func laserPower(l *link) setting {
	power := uvcControl{at: l.depthXU(model.XULaserPower), size: 2}
	emitter := uvcControl{at: l.depthXU(model.XUEmitter), size: 1}
	s := uvcOption(camdriver.OptionLaserPower, power, "Laser power in mW; setting it turns the laser on")
	s.set = func(l *link, v float32) error {
		if mode, err := emitter.get(l); err == nil && (mode == 0 || mode == 2) {
			if err := emitter.set(l, model.LaserOn); err != nil {
				return fmt.Errorf("turn the laser on: %w", err)
			}
		}
		return power.set(l, v)
	}
	return s
}

// temperature returns the setting for the projector (0) or the ASIC (1). The control's
// bytes are projector valid, ASIC valid, projector °C, ASIC °C. A camera at rest refuses it.
func (m *stereoModule) temperature(l *link, id camdriver.OptionID, which int, about string) setting {
	at := l.depthXU(model.XUTemperatures)
	return setting{
		id: id, about: about, span: span{-40, 125, 0, 0},
		get: func(l *link) (float32, error) {
			if !m.streaming() {
				return 0, errAtRest
			}
			var b [4]byte
			n, err := l.get(1, at, uvc.GetCur, b[:])
			if err == nil && (n < 4 || b[which] == 0) {
				err = errShort
			}
			return float32(int8(b[2+which])), err
		},
	}
}

// command is a setting of up to maximum that is written with the command set and read with the command get.
func command(id camdriver.OptionID, about string, maximum float32, set, get uint32, params ...uint32) setting {
	return setting{
		id: id, about: about, span: span{0, maximum, 1, 0}, optional: true,
		get: func(l *link) (float32, error) {
			b, err := l.ask(1, get, params...)
			if err != nil {
				return 0, err
			}
			return float32(b[0]), nil
		},
		set: func(l *link, v float32) error {
			_, err := l.command(set, nil, uint32(v))
			return err
		},
	}
}

// colorSettings returns the colour controls of a function. One that provides depth, too, has only those of its
// processing unit, whose gain is that of the stereo imagers.
func colorSettings(f *uvc.Function, depth bool) (list []setting) {
	for _, c := range model.ColorControls {
		at := uvc.Control{Interface: f.Interface, Unit: f.Processing, Selector: c.Selector}
		if c.Terminal {
			at.Unit = f.Camera
		}
		s := uvcOption(c.Option, uvcControl{at: at}, c.About)
		switch {
		case depth && (c.Terminal || c.Option == camdriver.OptionGain):
			continue
		case c.Option == camdriver.OptionExposure, c.Option == camdriver.OptionGain:
			s = s.disablesAuto(camdriver.OptionEnableAutoExposure)
		case c.Option == camdriver.OptionWhiteBalance:
			s = s.disablesAuto(camdriver.OptionEnableAutoWhiteBalance)
		case c.Option == camdriver.OptionEnableAutoExposure:
			s = colorAuto(uvcControl{at: at}, c.About)
		}
		list = append(list, s)
	}
	return list
}

// colorAuto returns a switch for UVC's exposure mode.
func colorAuto(mode uvcControl, about string) setting {
	return setting{
		id: camdriver.OptionEnableAutoExposure, about: about, span: onOff(true), optional: true,
		get: func(l *link) (float32, error) {
			v, err := mode.get(l)
			return boolToFloat(v != model.ManualExposure), err
		},
		set: func(l *link, v float32) error {
			if v != 0 {
				return mode.set(l, model.AutoExposure)
			}
			return mode.set(l, model.ManualExposure)
		},
	}
}

func motionSettings(host *hostSettings) []setting {
	return []setting{
		host.correction.setting(camdriver.OptionEnableMotionCorrection, "Apply the motion module's calibration"),
		host.globalTime(),
	}
}

// hostSettings are options that the driver implements.
type hostSettings struct {
	errors, global, correction hostSwitch
}

func (h *hostSettings) globalTime() setting {
	return h.global.setting(camdriver.OptionGlobalTimeEnabled, "Give frame times on the host's clock")
}

// hostSwitch is on unless it was turned off.
type hostSwitch struct{ off atomic.Bool }

func (s *hostSwitch) on() bool { return !s.off.Load() }

func (s *hostSwitch) setting(id camdriver.OptionID, about string) setting {
	standard := onOff(id != camdriver.OptionErrorPollingEnabled) // the SDK has it on, with default 0
	return local(id, about, standard, func() float32 { return boolToFloat(s.on()) },
		func(v float32) { s.off.Store(v == 0) })
}

// depthUnits is the metres per unit of a depth image, which advanced mode can change.
func (m *stereoModule) depthUnits(l *link, p model.Product) setting {
	if !l.advanced {
		m.setUnits(p.Units)
		return fixed(camdriver.OptionDepthUnits, p.Units, "Metres per unit of a depth image")
	}
	const current, minimum, maximum = 0, 1, 2
	read := func(l *link, which uint32) (float32, []byte, error) {
		b, err := l.ask(model.DepthGroupSize, model.OpGetAdvanced, model.DepthGroup, which)
		if err != nil {
			return 0, nil, err
		}
		return float32(float64(binary.LittleEndian.Uint32(b)) * 1e-6), b[:model.DepthGroupSize], nil
	}
	get := func(l *link) (float32, error) {
		v, _, err := read(l, current)
		if err == nil && v > 0 {
			m.setUnits(v)
		}
		return v, err
	}
	m.setUnits(p.Units)
	return setting{
		id: camdriver.OptionDepthUnits, about: "Metres per unit of a depth image; can be set in advanced mode", get: get,
		ask: func(l *link) (span, error) {
			low, _, err := read(l, minimum)
			high, _, err2 := read(l, maximum)
			return span{low, high, 0.000001, 0.001}, cmp.Or(err, err2)
		},
		set: func(l *link, v float32) error {
			_, table, err := read(l, current)
			if err != nil {
				return err
			}
			binary.LittleEndian.PutUint32(table, uint32(math.Round(float64(v)*1e6)))
			if _, err := l.command(model.OpSetAdvanced, table, model.DepthGroup); err != nil {
				return err
			}
			_, err = get(l)
			return err
		},
	}
}
