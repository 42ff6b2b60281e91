package d400

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"rsros/camdriver"
)

// Selectors of processing units and of camera terminals (UVC 1.5, A.9.4-5).
const (
	puBacklight    = 0x01
	puBrightness   = 0x02
	puContrast     = 0x03
	puGain         = 0x04
	puPowerLine    = 0x05
	puHue          = 0x06
	puSaturation   = 0x07
	puSharpness    = 0x08
	puGamma        = 0x09
	puWhiteBalance = 0x0a
	puAutoWhite    = 0x0b

	ctExposureMode     = 0x02
	ctExposurePriority = 0x03
	ctExposure         = 0x04
)

// depthSettings returns the options of the stereo module.
func depthSettings(l *link, units, baseline float32, host *hostSettings) []setting {
	xu := func(selector uint8, size int) whole { return whole{at: l.depthXU(selector), size: size} }
	gain := whole{at: control{l.depth.Interface, l.depth.Processing, puGain}, signed: true}
	return []setting{
		uvc(camdriver.OptionExposure, xu(xuExposure, 4), "Depth exposure in µs; setting it ends auto exposure").
			ends(camdriver.OptionEnableAutoExposure),
		uvc(camdriver.OptionGain, gain, "Image gain").ends(camdriver.OptionEnableAutoExposure),
		uvc(camdriver.OptionEnableAutoExposure, xu(xuAutoExposure, 1), "Auto exposure of the stereo imagers"),
		laserPower(l),
		uvc(camdriver.OptionEmitterEnabled, xu(xuEmitter, 1), "Emitter: 0 off, 1 laser, 2 auto, 3 LED"),
		temperature(l, camdriver.OptionAsicTemperature, 1, "ASIC temperature in °C, while streaming"),
		host.errors.setting(camdriver.OptionErrorPollingEnabled, "Poll hardware errors once a second"),
		temperature(l, camdriver.OptionProjectorTemperature, 0, "Projector temperature in °C, while streaming"),
		uvc(camdriver.OptionOutputTriggerEnabled, xu(xuOutputTrigger, 1), "Send a trigger pulse with each depth frame"),
		fixed(camdriver.OptionDepthUnits, units, "Metres per unit of a depth image"),
		fixed(camdriver.OptionStereoBaseline, baseline, "Distance between the imagers in mm"),
		command(camdriver.OptionInterCamSyncMode, "Synchronization of cameras: 0 default, 1 master, 2 slave, 3 full slave",
			3, opSetSyncMode, opGetSyncMode),
		host.global.setting(camdriver.OptionGlobalTimeEnabled, "Give frame times on the host's clock"),
		command(camdriver.OptionEmitterAlwaysOn, "Keep the emitter on between exposures", 1, opLaserAlwaysOn, opLaserAlwaysOn, 2),
		uvc(camdriver.OptionThermalCompensation, xu(xuThermal, 1), "Correct depth for the camera's temperature"),
		uvc(camdriver.OptionEmitterFrequency, xu(xuEmitterRate, 2), "Emitter frequency: 0 is 57 kHz, 1 is 91 kHz"),
	}
}

// laserOn is the emitter's mode in which the laser's power has effect.
const laserOn = 1

// laserPower also sets the emitter to laser, because otherwise power has no effect.
func laserPower(l *link) setting {
	power := whole{at: l.depthXU(xuLaserPower), size: 2}
	emitter := whole{at: l.depthXU(xuEmitter), size: 1}
	s := uvc(camdriver.OptionLaserPower, power, "Laser power in mW; setting it turns the laser on")
	s.set = func(l *link, v float32) error {
		if mode, err := emitter.get(l); err == nil && (mode == 0 || mode == 2) {
			if err := emitter.set(l, laserOn); err != nil {
				return fmt.Errorf("turn the laser on: %w", err)
			}
		}
		return power.set(l, v)
	}
	return s
}

// temperature returns the setting for the projector (0) or the ASIC (1). The control's
// bytes are projector valid, ASIC valid, projector °C, ASIC °C.
func temperature(l *link, id camdriver.OptionID, which int, about string) setting {
	at := l.depthXU(xuTemperatures)
	return setting{
		id: id, about: about,
		span: func(*link) (span, error) { return span{-40, 125, 1, 0}, nil },
		get: func(l *link) (float32, error) {
			var b [4]byte
			n, err := l.handle.Control(requestIn, reqGetCur, at.value(), at.index(), b[:])
			if err == nil && (n < 4 || b[which] == 0) {
				err = errShort
			}
			return float32(int8(b[2+which])), err
		},
	}
}

// command is a setting of up to maximum that is written with the command set and read with
// the command get.
func command(id camdriver.OptionID, about string, maximum float32, set, get uint32, params ...uint32) setting {
	read := func(l *link) (float32, error) {
		b, err := l.command(get, nil, params...)
		if err == nil && len(b) == 0 {
			err = errShort
		}
		if err != nil {
			return 0, err
		}
		return float32(b[0]), nil
	}
	return setting{
		id: id, about: about, get: read,
		span: func(l *link) (span, error) {
			_, err := read(l)
			return span{0, maximum, 1, 0}, err
		},
		set: func(l *link, v float32) error {
			_, err := l.command(set, nil, uint32(v))
			return err
		},
	}
}

// colorSettings returns the options of a colour function.
func colorSettings(f *videoFunction, host *hostSettings) []setting {
	pu := func(selector uint8) whole {
		return whole{at: control{f.Interface, f.Processing, selector}, signed: true}
	}
	ct := func(selector uint8) whole { return whole{at: control{f.Interface, f.Camera, selector}, signed: true} }
	return []setting{
		uvc(camdriver.OptionBacklightCompensation, pu(puBacklight), "Backlight compensation"),
		uvc(camdriver.OptionBrightness, pu(puBrightness), "Brightness"),
		uvc(camdriver.OptionContrast, pu(puContrast), "Contrast"),
		uvc(camdriver.OptionExposure, ct(ctExposure), "Colour exposure in 100 µs; setting it ends auto exposure").
			ends(camdriver.OptionEnableAutoExposure),
		uvc(camdriver.OptionGain, pu(puGain), "Image gain").ends(camdriver.OptionEnableAutoExposure),
		uvc(camdriver.OptionGamma, pu(puGamma), "Gamma"),
		uvc(camdriver.OptionHue, pu(puHue), "Hue"),
		uvc(camdriver.OptionSaturation, pu(puSaturation), "Saturation"),
		uvc(camdriver.OptionSharpness, pu(puSharpness), "Sharpness"),
		uvc(camdriver.OptionWhiteBalance, pu(puWhiteBalance), "White balance in K; setting it ends automatic white balance").
			ends(camdriver.OptionEnableAutoWhiteBalance),
		colorAuto(ct(ctExposureMode)),
		uvc(camdriver.OptionEnableAutoWhiteBalance, pu(puAutoWhite), "Automatic white balance"),
		uvc(camdriver.OptionPowerLineFrequency, pu(puPowerLine), "Mains flicker: 0 off, 1 50 Hz, 2 60 Hz, 3 auto"),
		uvc(camdriver.OptionAutoExposurePriority, ct(ctExposurePriority), "Let auto exposure lower the frame rate"),
		host.global.setting(camdriver.OptionGlobalTimeEnabled, "Give frame times on the host's clock"),
	}
}

// colorAuto returns a switch for UVC's exposure mode.
func colorAuto(mode whole) setting {
	return setting{
		id: camdriver.OptionEnableAutoExposure, about: "Auto exposure of the colour imager",
		span: func(l *link) (span, error) {
			_, err := mode.get(l)
			return span{0, 1, 1, 1}, err
		},
		get: func(l *link) (float32, error) {
			v, err := mode.get(l)
			return boolToFloat(v != colorManualExposure), err
		},
		set: func(l *link, v float32) error {
			if v != 0 {
				return mode.set(l, colorAutoExposure)
			}
			return mode.set(l, colorManualExposure)
		},
	}
}

func motionSettings(host *hostSettings) []setting {
	return []setting{
		host.correction.setting(camdriver.OptionEnableMotionCorrection, "Apply the motion module's calibration"),
		host.global.setting(camdriver.OptionGlobalTimeEnabled, "Give frame times on the host's clock"),
	}
}

// hostSettings are options that the driver implements.
type hostSettings struct {
	errors, global, correction hostSwitch
}

func newHostSettings() *hostSettings {
	h := &hostSettings{}
	h.errors.on.Store(true)
	h.global.on.Store(true)
	h.correction.on.Store(true)
	return h
}

type hostSwitch struct{ on atomic.Bool }

func (s *hostSwitch) setting(id camdriver.OptionID, about string) setting {
	return setting{
		id: id, about: about, span: onOff(true),
		get: func(*link) (float32, error) { return boolToFloat(s.on.Load()), nil },
		set: func(_ *link, v float32) error { s.on.Store(v != 0); return nil },
	}
}

// depthUnits returns the metres per depth unit: those of advanced mode if it is on, or
// else the product's.
func depthUnits(l *link, p product) float32 {
	on, err := l.command(opAdvancedOn, nil)
	if err != nil || len(on) == 0 || on[0] == 0 {
		return p.units
	}
	const depthTable = 9
	b, err := l.command(opGetAdvanced, nil, depthTable, 0)
	if err != nil || len(b) < 4 {
		return p.units
	}
	if um := binary.LittleEndian.Uint32(b); um > 0 {
		return float32(float64(um) * 1e-6)
	}
	return p.units
}
