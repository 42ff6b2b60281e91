package d400

import (
	"encoding/binary"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/model"
)

// limits are the upper bounds of automatic exposure (0) and gain (1). 0 in the camera is no
// bound.
type limits struct {
	mu     sync.Mutex // held while bounds are read and written
	chosen [2]float32 // applies when the bound is turned on
}

// settings returns a bound's value, which has the range of the bounded option, and its
// switch.
func (m *limits) settings(which int, bounded setting, value, toggle camdriver.OptionID) []setting {
	about := "automatic exposure in µs"
	if which == 1 {
		about = "automatic gain"
	}
	set := func(l *link, v float32) error { // requires mu
		now, err := l.limits()
		if err != nil {
			return err
		}
		now[which] = uint32(v)
		return l.setLimits(now)
	}
	return []setting{{
		id: value, about: "Upper bound of " + about + "; setting it turns the bound on",
		ask: func(l *link) (span, error) {
			r, err := bounded.ask(l)
			if err == nil {
				_, err = l.limits()
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.chosen[which] == 0 {
				m.chosen[which] = r.max
			}
			return r, err
		},
		get: func(l *link) (float32, error) {
			now, err := l.limits()
			if v := float32(now[which]); v > 0 {
				return v, err
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.chosen[which], err
		},
		set: func(l *link, v float32) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.chosen[which] = v
			return set(l, v)
		},
	}, {
		id: toggle, about: "Bound " + about, span: onOff(false), optional: true,
		get: func(l *link) (float32, error) {
			now, err := l.limits()
			return boolToFloat(now[which] != 0), err
		},
		set: func(l *link, v float32) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			return set(l, v*m.chosen[which])
		},
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
