// Package d435i implements the USB side of a virtual Intel RealSense D435i: descriptors, control requests, bulk
// payloads and HID reports. It is written from facts about the real camera. What it shares with the driver that is
// tested with it is in package model; recorded requests of librealsense and published logs of cameras are the judges of
// both.
//
// It is strict: an unknown request, or one that is out of order, is stalled and recorded (Violations).
//
// Package usbip connects it to a Linux kernel; the driver's unit tests call it directly. All methods may be called from
// any goroutine.
package d435i

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rsros/camdriver/model"
	"rsros/camdriver/uvc"
)

// Setup is a control request.
type Setup struct {
	RequestType, Request uint8
	Value, Index, Length uint16
}

func (s Setup) String() string {
	return fmt.Sprintf("request %02x %02x value %04x index %04x length %d", s.RequestType,
		s.Request, s.Value, s.Index, s.Length)
}

// Options of a camera. The zero value is a D435i on USB 3.
type Options struct {
	Serial     model.SerialNumber // of the optical module: the serial number users know
	ASICSerial model.SerialNumber
	Firmware   model.Version // 5.15.0.100 if zero; 5.16 and later send wide HID reports
	USB2       bool
	D3D        bool      // name the depth format by its Direct3D number
	ClockStart uint32    // device clock at power on, µs
	Scene      Scene     // what the camera sees; noise if nil
	Source     Source    // if not nil, shows its frames in place of Scene
	Tables     Tables    // calibration; Factory() if zero
	Product    uint16    // model.D435I if 0
	GVD        model.GVD // Hardware, Sealed and IRFilter of the device description
	Advanced   bool      // mode
}

// Camera is one plugged-in camera. Replugging makes a new one.
type Camera struct {
	opt  Options
	born time.Time
	gone context.CancelFunc
	life context.Context

	resets, stalls atomic.Int32 // requested and sent

	mu         sync.Mutex
	violations []string
	configured bool
	controls   map[uvc.Control]*value
	regions    map[uint32][4]uint32 // of auto exposure, by the command that sets them
	lastError  uint8                // of the control interfaces, for VC_REQUEST_ERROR_CODE
	reply      []byte
	streams    map[uint8]*stream // by endpoint
	power      map[uint8]*hidSensor
	states     map[uint8]state // by endpoint
	status     [][]byte        // packets for the status endpoint, oldest first
	log        eventLog
	advanced   advancedMode
	sequence   sequence
	limits     [2]uint32 // of automatic exposure and gain; 0 for none
	alwaysOn   uint32    // emitter
	sync       uint32    // mode of synchronization
	faults     Faults
	replyAt    time.Time // from which the hardware monitor's reply can be read
}

// New powers a camera on.
func New(o Options) *Camera {
	if o.Firmware == (model.Version{}) {
		o.Firmware = model.Version{5, 15, 0, 100}
	}
	if o.Scene == nil {
		o.Scene = Noise{}
	}
	if o.Tables.Depth.Rectified == nil {
		o.Tables = Factory()
	}
	o.Product = cmp.Or(o.Product, model.D435I)
	c := &Camera{opt: o, born: time.Now(), controls: newControls(o),
		regions: map[uint32][4]uint32{}, states: map[uint8]state{}}
	c.advanced = newAdvancedMode(o.Advanced)
	c.log.add(c.clock(), severityInfo, eventBoot, 0)
	c.life, c.gone = context.WithCancel(context.Background())
	depth, infrared, color := o.formats()
	c.streams = map[uint8]*stream{
		0x82: {endpoint: 0x82, iface: 1, formats: depth},
		0x83: {endpoint: 0x83, iface: 2, formats: infrared},
		0x84: {endpoint: 0x84, iface: 4, formats: color},
	}
	maps.DeleteFunc(c.streams, func(_ uint8, st *stream) bool { return len(st.formats) == 0 })
	c.power = map[uint8]*hidSensor{1: {power: model.PowerOff}, 2: {power: model.PowerOff}, 3: {power: model.PowerOff}}
	return c
}

// Options returns the options of the camera that reconnects after a reset.
func (c *Camera) Options() Options {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.opt
	o.Advanced = c.advanced.next
	return o
}

// Unplug makes all pending and later calls fail with ErrGone.
func (c *Camera) Unplug() { c.gone() }

// Violations lists the host's invalid requests.
func (c *Camera) Violations() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.violations)
}

// Stalls counts control requests that were stalled.
func (c *Camera) Stalls() int { return int(c.stalls.Load()) }

// Resets returns the number of requested hardware resets. The transport has to execute them by replugging.
func (c *Camera) Resets() int { return int(c.resets.Load()) }

// maxViolations bounds the recorded violations.
const maxViolations = 1000

// refuse records a violation and returns ErrStall. The caller must hold mu.
func (c *Camera) refuse(format string, args ...any) error {
	if len(c.violations) < maxViolations {
		c.violations = append(c.violations, fmt.Sprintf(format, args...))
	}
	return ErrStall
}

// clock returns the device's clock in µs.
func (c *Camera) clock() uint32 {
	if c.opt.Source != nil {
		return c.opt.Source.Clock()
	}
	return c.opt.ClockStart + uint32(time.Since(c.born).Microseconds())
}

func (c *Camera) clockAt(t time.Time) uint32 {
	return c.opt.ClockStart + uint32(t.Sub(c.born).Microseconds())
}

// Control executes a control request. out is the data of an OUT request;
// the answer to an IN request is at most Length bytes.
func (c *Camera) Control(s Setup, out []byte) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life.Err() != nil {
		return nil, ErrGone
	}
	var in []byte
	err := error(ErrStall)
	if !c.busy(s) {
		in, err = c.dispatch(s, out)
	}
	if err != nil {
		c.stalls.Add(1)
	}
	if len(in) > int(s.Length) {
		in = in[:s.Length]
	}
	return in, err
}

func (c *Camera) dispatch(s Setup, out []byte) ([]byte, error) {
	switch s.RequestType {
	case 0x80, 0x00, 0x81, 0x01, 0x82, 0x02:
		return c.standard(s)
	case 0xa1, 0x21:
		if s.RequestType == 0x21 && len(out) != int(s.Length) {
			return nil, c.refuse("%v with %d bytes of data", s, len(out))
		}
		switch iface := uint8(s.Index); iface {
		case 0, 3:
			return c.unit(s, out)
		case 1, 2, 4:
			return c.streaming(s, out)
		case 5:
			return c.hidRequest(s, out)
		}
	}
	return nil, c.refuse("unknown %v", s)
}

// Standard requests.
const (
	getStatus        = 0
	clearFeature     = 1
	setAddress       = 5
	getDescriptor    = 6
	getConfiguration = 8
	setConfiguration = 9
	setInterface     = 11
	setSEL           = 48
	setIsochDelay    = 49
)

func (c *Camera) standard(s Setup) ([]byte, error) {
	switch s.Request {
	case getStatus:
		return []byte{1, 0}, nil
	case getDescriptor:
		if d := c.descriptor(uint8(s.Value>>8), uint8(s.Value), s.Index); d != nil {
			return d, nil
		}
		return nil, ErrStall // hosts may ask for descriptors that a camera doesn't have
	case getConfiguration:
		return []byte{1}, nil
	case setConfiguration:
		c.configured = s.Value == 1
		return nil, nil
	case setInterface:
		if s.Value != 0 {
			return nil, c.refuse("alternate setting %d of interface %d", s.Value, s.Index)
		}
		return nil, nil
	case clearFeature:
		if s.RequestType == 0x02 && s.Value == 0 {
			c.clearHalt(uint8(s.Index))
		}
		return nil, nil
	case setAddress, setSEL, setIsochDelay, 3:
		return nil, nil
	}
	return nil, c.refuse("unknown standard %v", s)
}
