package d400

import (
	"cmp"
	"encoding/binary"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// limits are the upper bounds of automatic exposure (0) and gain (1) that apply when they are turned on. 0 in the
// camera is no bound.
type limits [2]float32

// settings returns a bound's value, which has the range of the bounded option, and its switch.
func (m *limits) settings(which int, bounded setting, value, toggle camdriver.OptionID) []setting {
	about := "automatic exposure in µs"
	if which == 1 {
		about = "automatic gain"
	}
	set := func(l *link, v float32) error {
		now, err := l.limits()
		if err != nil {
			return err
		}
		now[which] = uint32(v)
		return l.setLimits(now)
	}
	return []setting{{
		id: value, about: "Upper bound of " + about + "; setting it turns the bound on", optional: true,
		ask: func(l *link) (span, error) {
			r, err := bounded.ask(l)
			m[which] = cmp.Or(m[which], r.max)
			return r, err
		},
		get: func(l *link) (float32, error) {
			now, err := l.limits()
			return cmp.Or(float32(now[which]), m[which]), err
		},
		set: func(l *link, v float32) error {
			m[which] = v
			return set(l, v)
		},
	}, {
		id: toggle, about: "Bound " + about, span: onOff(false), optional: true,
		get: func(l *link) (float32, error) {
			now, err := l.limits()
			return boolToFloat(now[which] != 0), err
		},
		set: func(l *link, v float32) error { return set(l, v*m[which]) },
	}}
}

// limits returns the bounds of exposure and gain.
func (l *link) limits() (v [2]uint32, err error) {
	var b []byte
	if l.id.Firmware.Less(model.LimitsFirmware) {
		b, err = l.ask(8, model.OpAutoCalibration, model.OldGetLimits)
	} else if b, err = l.ask(16, model.OpGetLimits); err == nil {
		b = b[8:] // minima of both precede the maxima
	}
	if err != nil {
		return v, err
	}
	return [2]uint32{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}, nil
}

func (l *link) setLimits(v [2]uint32) error {
	var err error
	if l.id.Firmware.Less(model.LimitsFirmware) {
		_, err = l.command(model.OpAutoCalibration, nil, model.OldSetLimits, v[0], v[1])
	} else {
		_, err = l.command(model.OpSetLimits, nil, 0, v[0], 0, v[1])
	}
	return err
}
