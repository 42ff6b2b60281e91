package usbserve

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"rsros/camdriver/d435i"
	"rsros/camdriver/usbip"
	"rsros/camdriver/usbreport"
)

// Replay is a camera that answers as in a report. It stalls requests that the report doesn't have. Its methods may be called
// from any goroutine.
type Replay struct {
	r    *usbreport.Report
	born time.Time
	life context.Context
	gone context.CancelFunc

	mu         sync.Mutex
	set        map[unitControl][]byte // values that the host has set
	probes     map[uint8][]byte       // the camera's last answer, by interface
	streams    map[uint8]*replayStream
	motion     map[uint8]*motionRun // sensors that are on, by report id
	features   map[uint16][]byte    // of HID, as set
	reply      []byte               // of the hardware monitor; nil to stall
	interrupts []interrupt
	current    context.Context    // canceled to make waiting calls look again
	change     context.CancelFunc // of current
	resets     int
	refused    []string
}

// unitControl is the address of a control.
type unitControl struct{ value, index uint16 }

// NewReplay returns a newly plugged-in camera that answers as in the report, which must not be changed afterwards.
func NewReplay(r *usbreport.Report) *Replay {
	c := &Replay{
		r: r, born: time.Now(), set: map[unitControl][]byte{}, probes: map[uint8][]byte{}, streams: map[uint8]*replayStream{},
		features: map[uint16][]byte{}, motion: map[uint8]*motionRun{},
	}
	c.life, c.gone = context.WithCancel(context.Background())
	c.current, c.change = context.WithCancel(c.life)
	return c
}

// ReplayPort returns a port with a camera that answers as in a report.
func ReplayPort(busID string, r *usbreport.Report) *usbip.Port {
	return &usbip.Port{BusID: busID, Plug: func() usbip.Camera { return NewReplay(r) }, Gone: func(usbip.Camera) {}}
}

// DeviceDescriptor implements usbip.Camera.
func (c *Replay) DeviceDescriptor() []byte { return c.r.Descriptor(usbreport.KindDevice, 0, 0) }

// Configuration implements usbip.Camera.
func (c *Replay) Configuration() []byte { return c.r.Descriptor(usbreport.KindConfiguration, 0, 0) }

// Unplug implements usbip.Camera.
func (c *Replay) Unplug() { c.gone() }

// Resets implements usbip.Camera.
func (c *Replay) Resets() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resets
}

// Violations lists the host's requests that aren't in the report.
func (c *Replay) Violations() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.refused)
}

const maxRefused = 1000

// refuse requires mu.
func (c *Replay) refuse(s d435i.Setup) error {
	if len(c.refused) < maxRefused {
		c.refused = append(c.refused, s.String())
	}
	return d435i.ErrStall
}

// wake requires mu.
func (c *Replay) wake() {
	c.change()
	c.current, c.change = context.WithCancel(c.life)
}

// Class requests of UVC and HID.
const (
	classIn  = 0xa1
	classOut = 0x21

	uvcSetCur = 0x01
	uvcGetCur = 0x81
	uvcGetMin = 0x82
	uvcGetMax = 0x83
	uvcGetLen = 0x85

	vsProbe, vsCommit = 1, 2

	hidGetReport = 0x01
	hidSetReport = 0x09
	hidSetIdle   = 0x0a
	hidProtocol  = 0x0b
	hidFeature   = 3
)

// Control implements usbip.Camera.
func (c *Replay) Control(s d435i.Setup, out []byte) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return nil, d435i.ErrGone
	}
	in, err := c.control(s, out)
	return in[:min(len(in), int(s.Length))], err
}

func (c *Replay) control(s d435i.Setup, out []byte) ([]byte, error) {
	iface := uint8(s.Index)
	switch {
	case s.RequestType&0x60 == 0:
		return c.standard(s)
	case c.isMonitor(s):
		return c.monitor(s, out)
	case c.isHID(iface):
		return c.hid(s, out)
	case c.isStreaming(iface):
		return c.streaming(s, out)
	case s.RequestType == classOut && s.Request == uvcSetCur:
		return nil, c.setControl(s, out)
	case s.RequestType == classIn && s.Request == uvcGetCur:
		if b, ok := c.set[unitControl{s.Value, s.Index}]; ok {
			return b, nil
		}
	}
	return c.recorded(s)
}

// standard serves the requests of USB itself.
func (c *Replay) standard(s d435i.Setup) ([]byte, error) {
	const (
		getStatus        = 0
		clearFeature     = 1
		getDescriptor    = 6
		getConfiguration = 8
	)
	switch s.Request {
	case getStatus:
		return []byte{1, 0}, nil
	case getDescriptor:
		kind, index := uint8(s.Value>>8), uint8(s.Value)
		if b := c.r.Descriptor(kind, index, s.Index); b != nil {
			return b, nil
		}
		return nil, d435i.ErrStall // hosts may ask for descriptors that a camera doesn't have
	case getConfiguration:
		return []byte{1}, nil
	case clearFeature:
		if s.RequestType == 2 && s.Value == 0 {
			c.clearHalt(uint8(s.Index))
		}
	}
	return nil, nil
}

// find returns the report's entry of a request, or nil.
func (c *Replay) find(request uint8, value, index uint16) *usbreport.Request {
	for i, q := range c.r.Requests {
		if q.Type == classIn && q.Request == request && q.Value == value && q.Index == index {
			return &c.r.Requests[i]
		}
	}
	return nil
}

// recorded answers as the camera did.
func (c *Replay) recorded(s d435i.Setup) ([]byte, error) {
	q := c.find(s.Request, s.Value, s.Index)
	if s.RequestType != classIn || q == nil {
		return nil, c.refuse(s)
	}
	if q.Error != "" {
		return nil, d435i.ErrStall
	}
	return q.Answer, nil
}

// setControl stores a value if it is in the range that the camera reported.
func (c *Replay) setControl(s d435i.Setup, out []byte) error {
	const most = 4
	current := c.find(uvcGetCur, s.Value, s.Index)
	if current == nil || current.Error != "" || len(out) == 0 {
		return c.refuse(s)
	}
	size := len(current.Answer)
	if q := c.find(uvcGetLen, s.Value, s.Index); q != nil && len(q.Answer) >= 2 {
		size = int(binary.LittleEndian.Uint16(q.Answer))
	}
	if len(out) != size && (size > most || len(out) != most) {
		return c.refuse(s)
	}
	value := slices.Clone(out)
	if size <= most {
		lo, hi := c.find(uvcGetMin, s.Value, s.Index), c.find(uvcGetMax, s.Value, s.Index)
		if lo == nil || hi == nil || lo.Error != "" || hi.Error != "" {
			return c.refuse(s)
		}
		signed := number(lo.Answer, size, false) > number(hi.Answer, size, false)
		v := number(out, size, signed)
		if v < number(lo.Answer, size, signed) || v > number(hi.Answer, size, signed) {
			return c.refuse(s)
		}
		value = binary.LittleEndian.AppendUint32(nil, uint32(v)) // in the requested number of bytes
		value = value[:min(max(len(current.Answer), size), most)]
	}
	c.set[unitControl{s.Value, s.Index}] = value
	return nil
}

// number reads an integer of at most 4 bytes.
func number(b []byte, size int, signed bool) int64 {
	var word [4]byte
	copy(word[:], b[:min(len(b), size, len(word))])
	v := int64(binary.LittleEndian.Uint32(word[:]))
	if bits := 8 * size; signed && bits > 0 && v>>(bits-1)&1 != 0 {
		v -= 1 << bits
	}
	return v
}

// The hardware monitor: a command is written to a control, then the reply is read from it.
const (
	monitorSize  = 1024
	monitorHead  = 24
	monitorMagic = 0xcdab
	monitorValue = 0x0100 // selector 1

	opReadRegister = 0x01
	opReset        = 0x20

	badCommand = -1
)

// depthUnit is the GUID of the unit that has the hardware monitor.
var depthUnit = []byte{0xcb, 0x6c, 0x60, 0xc9, 0x4c, 0x59, 0x25, 0x4d, 0xaf, 0x47, 0xcc, 0xc4, 0x96, 0x43, 0x59, 0x95}

// isMonitor reports whether a request is one of the hardware monitor's.
func (c *Replay) isMonitor(s d435i.Setup) bool {
	if s.Value != monitorValue || s.RequestType&0x60 == 0 || s.Request != uvcSetCur && s.Request != uvcGetCur {
		return false
	}
	found := false
	c.walk(func(number, class, sub uint8, d []byte) {
		const classInterface, extensionUnit = 0x24, 6
		unit := d[1] == classInterface && class == classVideo && sub == 1 && len(d) >= 20 && d[2] == extensionUnit
		if unit && slices.Equal(d[4:20], depthUnit) && s.Index == uint16(d[3])<<8|uint16(number) {
			found = true
		}
	})
	return found
}

func (c *Replay) monitor(s d435i.Setup, out []byte) ([]byte, error) {
	if s.Request == uvcGetCur {
		if c.reply == nil {
			return nil, c.refuse(s)
		}
		return c.reply, nil
	}
	if len(out) != monitorSize || binary.LittleEndian.Uint16(out[2:]) != monitorMagic {
		return nil, c.refuse(s)
	}
	op := binary.LittleEndian.Uint32(out[4:])
	var params [4]uint32
	for i := range params {
		params[i] = binary.LittleEndian.Uint32(out[8+4*i:])
	}
	c.reply = c.execute(op, params)
	return nil, nil
}

// execute returns the reply to a command, or nil if the camera stalled.
func (c *Replay) execute(op uint32, params [4]uint32) []byte {
	code, data := int32(op), []byte(nil)
	recorded := c.r.Command(op, params)
	switch {
	case op == opReset:
		c.resets++
	case recorded == nil:
		code = badCommand
	case recorded.Error != "":
		return nil
	case recorded.Code < 0:
		code = recorded.Code
	case op == opReadRegister && len(recorded.Data) == 4:
		data = binary.LittleEndian.AppendUint32(nil, c.clock())
	default:
		data = recorded.Data
	}
	reply := make([]byte, monitorSize)
	binary.LittleEndian.PutUint32(reply, uint32(code))
	n := copy(reply[4:monitorSize-4], data)
	binary.LittleEndian.PutUint32(reply[monitorSize-4:], uint32(n))
	return reply
}

// clock returns the device's clock in µs, which continues the report's.
func (c *Replay) clock() uint32 {
	start := uint32(0)
	for _, r := range c.r.Commands {
		if r.Op == opReadRegister && len(r.Data) == 4 {
			start = binary.LittleEndian.Uint32(r.Data)
			break
		}
	}
	return start + uint32(time.Since(c.born).Microseconds())
}

const (
	classVideo = 14
	classHID   = 3
)

// walk calls f with each descriptor of the configuration, and its interface.
func (c *Replay) walk(f func(number, class, sub uint8, d []byte)) {
	var number, class, sub uint8
	for d := range usbreport.Parts(c.Configuration()) {
		const descInterface = 4
		if d[1] == descInterface && len(d) >= 9 {
			number, class, sub = d[2], d[5], d[6]
		}
		f(number, class, sub, d)
	}
}

// class returns the class and subclass of an interface.
func (c *Replay) class(iface uint8) (class, sub uint8) {
	c.walk(func(number, k, s uint8, _ []byte) {
		if number == iface && k != 0 {
			class, sub = k, s
		}
	})
	return class, sub
}

func (c *Replay) isHID(iface uint8) bool {
	class, _ := c.class(iface)
	return class == classHID
}

func (c *Replay) isStreaming(iface uint8) bool {
	class, sub := c.class(iface)
	return class == classVideo && sub == 2
}
