package d435i

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// address of a control within the camera.
type address struct{ iface, unit, selector uint8 }

// value is a control with its range. Sizes are in bytes.
type value struct {
	size                    int
	min, max, res, def, cur int32
}

const (
	setCur  = 0x01
	getCur  = 0x81
	getMin  = 0x82
	getMax  = 0x83
	getRes  = 0x84
	getLen  = 0x85
	getInfo = 0x86
	getDef  = 0x87
)

// Units.
const (
	depthXU = 3
	depthPU = 2
	colorCT = 6
	colorPU = 7
)

// newControls returns the camera's controls at power on.
func newControls(firmware [4]uint8) map[address]*value {
	list := map[address]*value{}
	add := func(iface, unit, selector uint8, size int, lo, hi, res, def int32) {
		list[address{iface, unit, selector}] = &value{size, lo, hi, res, def, def}
	}
	add(0, depthXU, 0x02, 1, 0, 2, 1, 1)         // emitter
	add(0, depthXU, 0x03, 4, 1, 165000, 1, 8500) // exposure
	add(0, depthXU, 0x04, 2, 0, 360, 30, 150)    // laser power
	add(0, depthXU, 0x06, 1, 0, 6, 1, 0)         // preset
	add(0, depthXU, 0x07, 1, 0, 255, 1, 0)       // error report
	add(0, depthXU, 0x08, 1, 0, 1, 1, 0)         // output trigger
	add(0, depthXU, 0x0b, 1, 0, 1, 1, 1)         // auto exposure
	if slices.Compare(firmware[:], []uint8{5, 17, 2, 5}) >= 0 {
		add(0, depthXU, 0x12, 1, 0, 2, 1, 0) // synchronization
	}
	add(0, depthPU, 0x04, 2, 16, 248, 1, 16)       // gain
	add(3, colorPU, 0x01, 2, 0, 1, 1, 0)           // backlight
	add(3, colorPU, 0x02, 2, -64, 64, 1, 0)        // brightness
	add(3, colorPU, 0x03, 2, 0, 100, 1, 50)        // contrast
	add(3, colorPU, 0x04, 2, 0, 128, 1, 64)        // gain
	add(3, colorPU, 0x05, 1, 0, 3, 1, 3)           // power line
	add(3, colorPU, 0x06, 2, -180, 180, 1, 0)      // hue
	add(3, colorPU, 0x07, 2, 0, 100, 1, 64)        // saturation
	add(3, colorPU, 0x08, 2, 0, 100, 1, 50)        // sharpness
	add(3, colorPU, 0x09, 2, 100, 500, 1, 300)     // gamma
	add(3, colorPU, 0x0a, 2, 2800, 6500, 10, 4600) // white balance
	add(3, colorPU, 0x0b, 1, 0, 1, 1, 1)           // auto white balance
	add(3, colorCT, 0x02, 1, 0, 9, 1, 8)           // exposure mode: a bit map
	add(3, colorCT, 0x03, 1, 0, 1, 1, 0)           // exposure priority
	add(3, colorCT, 0x04, 4, 1, 10000, 1, 156)     // exposure, 100 µs
	return list
}

// ControlValue returns a control's current value, for tests.
func (c *Camera) ControlValue(iface, unit, selector uint8) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.controls[address{iface, unit, selector}]; v != nil {
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
	c.controls[address{0, depthXU, 7}].cur = int32(code)
	c.log.add(c.clock(), severityError, eventError, uint32(code))
	if len(c.status) < maxStatus { // else the host doesn't read
		c.status = append(c.status, []byte{1, depthXU, 0, 7, 0, code}) // control changed, with its value
		c.interrupt(statusEndpoint)
	}
}

// unit serves the control interfaces.
func (c *Camera) unit(s Setup, out []byte) ([]byte, error) {
	at := address{uint8(s.Index), uint8(s.Index >> 8), uint8(s.Value >> 8)}
	switch {
	case at.unit == 0 && at.selector == 2 && s.Request == getCur: // VC_REQUEST_ERROR_CODE
		return []byte{c.lastError}, nil
	case at == address{0, depthXU, 1}:
		return c.monitor(s, out)
	case at == address{0, depthXU, 9} && s.Request == getCur:
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
	if s.Request == setCur {
		return nil, c.setControl(at, v, out)
	}
	return c.getControl(at, v, s)
}

func (c *Camera) getControl(at address, v *value, s Setup) ([]byte, error) {
	x := v.cur
	switch s.Request {
	case getCur:
		if at == (address{0, depthXU, 7}) {
			v.cur = 0 // reading clears the error report
		}
	case getMin:
		x = v.min
	case getMax:
		x = v.max
	case getRes:
		x = v.res
	case getDef:
		x = v.def
	case getLen:
		return []byte{byte(v.size), 0, 0, 0}, nil // the SDK asks for four bytes and requires all of them
	case getInfo:
		return []byte{3}, nil
	default:
		return nil, c.refuse("control request %v", s)
	}
	// The SDK relies on getting the requested number of bytes, up to four.
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], uint32(x))
	if v.size < 4 && v.min >= 0 {
		clear(b[v.size:])
	}
	return b[:], nil
}

func (c *Camera) setControl(at address, v *value, out []byte) error {
	if len(out) != v.size && (at.unit == depthXU || len(out) != 4) {
		return c.refuse("control %v of %d bytes set with %d", at, v.size, len(out))
	}
	var b [4]byte
	copy(b[:], out)
	x := int32(binary.LittleEndian.Uint32(b[:]))
	if shift := 32 - 8*min(v.size, len(out)); v.min < 0 {
		x = x << shift >> shift
	}
	mode := c.controls[address{3, colorCT, 2}]
	switch {
	case x < v.min || x > v.max:
		c.lastError = 4
		return c.refuse("control %v set to %d, range %d to %d", at, x, v.min, v.max)
	case at == address{3, colorCT, 2} && x != 1 && x != 8:
		return c.refuse("exposure mode %d", x)
	case at == address{3, colorCT, 4} && mode.cur != 1:
		c.lastError = 3 // wrong state
		return c.refuse("colour exposure set while it is automatic")
	case at == address{3, colorPU, 0x0a} && c.controls[address{3, colorPU, 0x0b}].cur != 0:
		c.lastError = 3
		return c.refuse("white balance set while it is automatic")
	case at == address{0, depthXU, 3}:
		c.controls[address{0, depthXU, 0x0b}].cur = 0 // as the firmware does
	}
	v.cur = x
	if c.opt.Source != nil {
		c.opt.Source.Set(at.iface, at.unit, at.selector, x)
	}
	return nil
}

func (a address) String() string {
	return fmt.Sprintf("interface %d unit %d selector %d", a.iface, a.unit, a.selector)
}
