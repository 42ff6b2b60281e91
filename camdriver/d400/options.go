package d400

import (
	"encoding/binary"
	"errors"
	"fmt"

	"rsros/camdriver"
	"rsros/camdriver/uvc"
)

// setting is an option of a sensor.
type setting struct {
	id    camdriver.OptionID
	about string
	span  span                      // if ask is nil
	ask   func(*link) (span, error) // reads the range; an error means that the camera lacks the option
	get   func(*link) (float32, error)
	set   func(*link, float32) error // nil: read-only
	// optional means that the camera lacks the option if get fails.
	optional bool
	// disables is the automatic control that a change of this option turns off.
	disables camdriver.OptionID
	auto     bool // disables is set
	// kept, if not nil, reports whether a change stays in the driver, which needn't restore it in a camera.
	kept func() bool
}

// span is an option's range.
type span struct{ min, max, step, def float32 }

// probedOption is a setting that the camera supports, with its range.
type probedOption struct {
	setting
	last float32 // as last read or written
}

// probeSettings reads the ranges of the settings and omits unsupported ones.
func probeSettings(l *link, list []setting) ([]*probedOption, error) {
	var out []*probedOption
	for _, s := range list {
		var err error
		if s.ask != nil {
			s.span, err = s.ask(l)
		}
		if err == nil {
			last, getErr := s.get(l)
			if getErr != nil {
				last = s.span.def
			}
			if getErr == nil || !s.optional {
				out = append(out, &probedOption{setting: s, last: last})
			}
			err = getErr
		}
		if errors.Is(err, camdriver.ErrUnplugged) || errors.Is(err, camdriver.ErrClosed) {
			return nil, err
		}
	}
	return out, nil
}

func (k *probedOption) option() camdriver.Option {
	return camdriver.Option{
		ID: k.id, Value: k.last, Min: k.span.min, Max: k.span.max, Step: k.span.step, Default: k.span.def,
		ReadOnly: k.set == nil, Description: k.about,
	}
}

// check checks a new value.
func (k *probedOption) check(v float32) error {
	if k.set == nil {
		return fmt.Errorf("option %s is read-only: %w", k.id, camdriver.ErrUnsupported)
	}
	if !(v >= k.span.min && v <= k.span.max) {
		return fmt.Errorf("option %s: %g is outside %g … %g", k.id, v, k.span.min, k.span.max)
	}
	return nil
}

// uvcControl is an integral UVC control. size is the size in bytes of a control of the extension unit, which is
// unsigned. It is 0 for others, which are signed and whose size the device is asked for (GET_LEN).
type uvcControl struct {
	at   uvc.Control
	size int
}

// uvcOption returns a setting for a UVC control.
func uvcOption(id camdriver.OptionID, w uvcControl, about string) setting {
	return setting{id: id, about: about, ask: w.span, get: w.get, set: w.set}
}

// disablesAuto makes a manual setting turn off the automatic one.
func (s setting) disablesAuto(auto camdriver.OptionID) setting {
	s.disables, s.auto = auto, true
	return s
}

func (w uvcControl) span(l *link) (span, error) {
	var v [4]float32
	for i, request := range []uint8{uvc.GetMin, uvc.GetMax, uvc.GetRes, uvc.GetDef} {
		x, err := w.read(l, request)
		if err != nil {
			return span{}, err
		}
		v[i] = x
	}
	if v[0] > v[1] {
		return span{}, fmt.Errorf("control has range %g … %g", v[0], v[1])
	}
	return span{v[0], v[1], max(v[2], 1), v[3]}, nil
}

func (w uvcControl) get(l *link) (float32, error) { return w.read(l, uvc.GetCur) }

// read reads what the SDK reads: the control's size for values of the extension unit, and four bytes for all else.
func (w uvcControl) read(l *link, request uint8) (float32, error) {
	size, err := w.length(l)
	if err != nil {
		return 0, err
	}
	var b [4]byte
	length := len(b)
	if request == uvc.GetCur && w.size > 0 {
		length = w.size
	}
	n, err := l.get(optionTries, w.at, request, b[:length])
	if err != nil {
		return 0, err
	}
	size = min(size, n)
	clear(b[size:])
	v := binary.LittleEndian.Uint32(b[:])
	if w.size == 0 && size > 0 && size < 4 {
		shift := 32 - 8*size
		return float32(int32(v<<shift) >> shift), nil
	}
	return float32(int32(v)), nil
}

func (w uvcControl) length(l *link) (int, error) {
	if w.size > 0 {
		return w.size, nil
	}
	var b [4]byte // as the SDK asks; UVC has two
	n, err := l.get(optionTries, w.at, uvc.GetLen, b[:])
	if err != nil {
		return 0, err
	}
	if size := int(binary.LittleEndian.Uint16(b[:])); n >= 2 && size >= 1 && size <= 4 {
		return size, nil
	}
	return 0, fmt.Errorf("control has %d bytes, want 1 to 4", binary.LittleEndian.Uint16(b[:]))
}

// set writes four bytes to terminals and processing units, and the control's size to the
// extension unit, as the SDK does.
func (w uvcControl) set(l *link, v float32) error {
	b := make([]byte, 4)
	binary.LittleEndian.PutUint32(b, uint32(int32(v)))
	if w.size > 0 {
		b = b[:w.size]
	}
	return l.set(controlTries, w.at, b)
}

// lockedBy refuses to turn a setting on, or to change it, while another is on.
func (s setting) lockedBy(other setting) setting {
	set := s.set
	s.set = func(l *link, v float32) error {
		on, err := other.get(l)
		if err != nil {
			return err
		}
		if on != 0 {
			return fmt.Errorf("%s is on: %w", other.id, camdriver.ErrBusy)
		}
		return set(l, v)
	}
	return s
}

// local returns a setting that the driver keeps. set is nil if it is read-only.
func local(id camdriver.OptionID, about string, s span, get func() float32, set func(float32)) setting {
	out := setting{
		id: id, about: about, span: s,
		get: func(*link) (float32, error) { return get(), nil },
	}
	if set != nil {
		out.set = func(_ *link, v float32) error { set(v); return nil }
	}
	return out
}

// fixed returns a read-only setting with a constant value.
func fixed(id camdriver.OptionID, v float32, about string) setting {
	return local(id, about, span{v, v, 0, v}, func() float32 { return v }, nil)
}

// onOff returns the span of a switch.
func onOff(def bool) span { return span{0, 1, 1, boolToFloat(def)} }

func boolToFloat(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
