package d435i

import (
	"encoding/binary"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// value is a control with its range. Sizes are in bytes.
type value struct {
	size                    int
	min, max, res, def, cur int32
	// The option of a Source's stream that the control sets; the stream is zero if there is none.
	stream camdriver.StreamID
	option camdriver.OptionID
}

// Units.
const (
	depthXU = 3
	depthPU = 2
	colorCT = 6
	colorPU = 7
)

// stereo returns the address of a control of the depth function's extension unit.
func stereo(selector uint8) uvc.Control { return uvc.Control{Unit: depthXU, Selector: selector} }

var depthGain = uvc.Control{Unit: depthPU, Selector: model.PUGain}

// color returns the address of a control of the colour function.
func color(terminal bool, selector uint8) uvc.Control {
	if terminal {
		return uvc.Control{Interface: 3, Unit: colorCT, Selector: selector}
	}
	return uvc.Control{Interface: 3, Unit: colorPU, Selector: selector}
}

// newControls returns the camera's controls at power on. The stereo module's exposure and gain set no options, because
// the camera applies them to the pixels, as a sequence of frames may have different ones.
func newControls(o Options) map[uvc.Control]*value {
	list := map[uvc.Control]*value{
		stereo(model.XUEmitter): {
			size: 1, max: 2, res: 1, def: model.LaserOn, stream: camdriver.DepthStream, option: camdriver.OptionEmitterEnabled,
		},
		stereo(model.XULaserPower): {
			size: 2, max: 360, res: 30, def: 150, stream: camdriver.DepthStream, option: camdriver.OptionLaserPower,
		},
		stereo(model.XUExposure):      {size: 4, min: 1, max: 165000, res: 1, def: 8500},
		stereo(model.XUPreset):        {size: 1, max: 6, res: 1},
		stereo(model.XUErrorReport):   {size: 1, max: 255, res: 1},
		stereo(model.XUOutputTrigger): {size: 1, max: 1, res: 1},
		stereo(model.XUAutoExposure):  {size: 1, max: 1, res: 1, def: 1},
		depthGain:                     {size: 2, min: 16, max: 248, res: 1, def: 16},
	}
	if !o.Firmware.Less(model.Version{5, 17, 2, 5}) {
		list[stereo(model.XUSync)] = &value{size: 1, max: 2, res: 1}
	}
	if o.Product == model.D415 {
		list[stereo(model.XUAutoWhite)] = &value{size: 1, max: 1, res: 1, def: 1}
	}
	if o.Product == model.D455 {
		list[stereo(model.XUExposureMode)] = &value{size: 1, max: 1, res: 1}
	}
	for _, c := range model.ColorControls {
		at := color(c.Terminal, c.Selector)
		if _, taken := list[uvc.Control{Unit: depthPU, Selector: c.Selector}]; o.Product == model.D405 &&
			!c.Terminal && !taken {
			at = uvc.Control{Unit: depthPU, Selector: c.Selector}
		}
		list[at] = &value{
			size: c.Size, min: c.Min, max: c.Max, res: c.Step, def: c.Def, stream: camdriver.ColorStream, option: c.Option,
		}
	}
	for _, v := range list {
		v.cur = v.def
	}
	return list
}

// ControlValue returns a control's current value, for tests.
func (c *Camera) ControlValue(at uvc.Control) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.controls[at]; v != nil {
		return v.cur
	}
	return 0
}

// maxStatus bounds the packets that wait for a host.
const maxStatus = 16

// ReportError makes the camera report code once, in its error report and on the status endpoint.
func (c *Camera) ReportError(code uint8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.controls[stereo(model.XUErrorReport)].cur = int32(code)
	c.log.add(c.clock(), severityError, eventError, uint32(code))
	if len(c.status) < maxStatus { // else the host doesn't read
		c.status = append(c.status, []byte{1, depthXU, 0, model.XUErrorReport, 0, code}) // control changed, with its value
		c.interrupt(statusEndpoint)
	}
}

// unit serves the control interfaces.
func (c *Camera) unit(s Setup, out []byte) ([]byte, error) {
	at := uvc.ControlAt(s.Value, s.Index)
	switch {
	case at.Unit == 0 && at.Selector == uvc.RequestErrorCode && s.Request == uvc.GetCur:
		return []byte{c.lastError}, nil
	case at == stereo(model.XUHardwareMonitor):
		return c.monitor(s, out)
	case at == stereo(model.XUTemperatures) && s.Request == uvc.GetCur:
		if !c.anyStreaming() {
			return nil, ErrStall // no temperatures from a camera at rest
		}
		return []byte{1, 1, 31, 38}, nil
	}
	v := c.controls[at]
	if v == nil {
		c.lastError = 6 // invalid control
		return nil, ErrStall
	}
	if s.Request == uvc.SetCur {
		return nil, c.setControl(at, v, out)
	}
	return c.getControl(at, v, s)
}

func (c *Camera) getControl(at uvc.Control, v *value, s Setup) ([]byte, error) {
	x, ok := map[uint8]int32{uvc.GetCur: v.cur, uvc.GetMin: v.min, uvc.GetMax: v.max,
		uvc.GetRes: v.res, uvc.GetDef: v.def}[s.Request]
	switch {
	case s.Request == uvc.GetLen:
		return []byte{byte(v.size), 0, 0, 0}, nil // the SDK asks for four bytes and requires all of them
	case s.Request == uvc.GetInfo:
		return []byte{3}, nil
	case !ok:
		return nil, c.refuse("control request %v", s)
	case s.Request == uvc.GetCur && at == stereo(model.XUErrorReport):
		v.cur = 0 // reading clears the error report
	}
	// The SDK relies on getting the requested number of bytes, up to four.
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(x))
	if v.size < 4 && v.min >= 0 {
		clear(b[v.size:])
	}
	return b[:], nil
}

func (c *Camera) setControl(at uvc.Control, v *value, out []byte) error {
	if len(out) != v.size && (at.Unit == depthXU || len(out) != 4) {
		return c.refuse("control %v of %d bytes set with %d", at, v.size, len(out))
	}
	var b [4]byte
	copy(b[:], out)
	x := int32(binary.LittleEndian.Uint32(b[:]))
	if shift := 32 - 8*min(v.size, len(out)); v.min < 0 {
		x = x << shift >> shift
	}
	exposureMode := color(true, model.CTExposureMode)
	switch {
	case x < v.min || x > v.max:
		c.lastError = 4
		return c.refuse("control %v set to %d, range %d to %d", at, x, v.min, v.max)
	case at == exposureMode && x != model.ManualExposure && x != model.AutoExposure:
		return c.refuse("exposure mode %d", x)
	case at == color(true, model.CTExposure) && c.controls[exposureMode].cur != model.ManualExposure:
		c.lastError = 3 // wrong state
		return c.refuse("colour exposure set while it is automatic")
	case at == color(false, model.PUWhiteBalance) && c.controls[color(false, model.PUAutoWhite)].cur != 0:
		c.lastError = 3
		return c.refuse("white balance set while it is automatic")
	case at == stereo(model.XUExposure):
		c.controls[stereo(model.XUAutoExposure)].cur = 0 // as the firmware does
	}
	v.cur = x
	if c.opt.Source != nil && v.stream != (camdriver.StreamID{}) {
		if at == exposureMode {
			x = min(x-model.ManualExposure, 1)
		}
		c.opt.Source.Set(v.stream, v.option, float32(x))
	}
	return nil
}
