package drivertest

import (
	"errors"
	"math"
	"slices"
	"testing"

	"rsros/camdriver"
)

// absent is an option that no sensor offers.
const absent = camdriver.OptionID(254)

func testOptions(t *testing.T, dev camdriver.Device, _ Options) {
	for _, s := range dev.Sensors() {
		options := s.Options()
		for _, o := range options {
			if one, ok := s.Option(o.ID); !ok || one != o {
				t.Errorf("%s: Option is %+v (%v), want %+v", s.Name(), one, ok, o)
			}
		}
		for i, o := range options {
			checkOption(t, s, o)
			if i > 0 && o.ID <= options[i-1].ID {
				t.Errorf("%s: option %s after %s", s.Name(), o.ID, options[i-1].ID)
			}
			if o.ReadOnly {
				if err := s.SetOption(o.ID, o.Value); !errors.Is(err, camdriver.ErrUnsupported) {
					t.Errorf("%s: setting read-only %s: %v", s.Name(), o.ID, err)
				}
				continue
			}
			testWritable(t, s, o)
		}
		if err := s.SetOption(absent, 0); !errors.Is(err, camdriver.ErrNotFound) {
			t.Errorf("%s: setting a missing option: %v", s.Name(), err)
		}
		if o, ok := s.Option(absent); ok {
			t.Errorf("%s: a missing option is %+v", s.Name(), o)
		}
	}
}

func checkOption(t *testing.T, s camdriver.Sensor, o camdriver.Option) {
	if o.ID.String() == "UNKNOWN" {
		t.Errorf("%s: option %d", s.Name(), o.ID)
	}
	for _, v := range []float32{o.Value, o.Min, o.Max, o.Step, o.Default} {
		if v != v || math.IsInf(float64(v), 0) {
			t.Errorf("%s: %+v", s.Name(), o)
		}
	}
	if o.Min > o.Max || o.Value < o.Min || o.Value > o.Max || o.Step < 0 {
		t.Errorf("%s: option %s is %g in %g to %g by %g", s.Name(), o.ID, o.Value, o.Min, o.Max, o.Step)
	}
}

// testWritable changes an option, reads it back, tries invalid values, and restores it.
func testWritable(t *testing.T, s camdriver.Sensor, o camdriver.Option) {
	want := other(o)
	if err := s.SetOption(o.ID, want); err != nil {
		t.Errorf("%s: %s = %g: %v", s.Name(), o.ID, want, err)
		return
	}
	for _, v := range []float32{o.Max + 2*o.Step + 1, o.Min - 2*o.Step - 1, float32(math.NaN()), float32(math.Inf(1))} {
		if s.SetOption(o.ID, v) == nil {
			t.Errorf("%s: %s took %g, which is not in %g to %g", s.Name(), o.ID, v, o.Min, o.Max)
		}
	}
	if got := value(s, o.ID); got != want {
		t.Errorf("%s: %s is %g after it was set to %g", s.Name(), o.ID, got, want)
	}
	Set(t, s, o.ID, o.Value)
}

// other returns a valid value one step from the option's, or its value if it is the only
// one.
func other(o camdriver.Option) float32 {
	switch {
	case o.Value+o.Step <= o.Max:
		return o.Value + o.Step
	case o.Value-o.Step >= o.Min:
		return o.Value - o.Step
	}
	return o.Value
}

func value(s camdriver.Sensor, id camdriver.OptionID) float32 {
	if o, ok := s.Option(id); ok {
		return o.Value
	}
	return float32(math.NaN())
}

// testOptionChanged sets one writable option of each streaming sensor and waits
// for the event.
func testOptionChanged(t *testing.T, dev camdriver.Device, o Options) {
	streaming(dev, o, func(s camdriver.Sensor, profiles []camdriver.Profile) {
		i := slices.IndexFunc(s.Options(), func(o camdriver.Option) bool { return !o.ReadOnly && other(o) != o.Value })
		if i < 0 {
			return
		}
		option := s.Options()[i]
		w := newWatch(t, dev, o)
		w.start(s, profiles)
		w.frames(1, profiles)
		if err := s.SetOption(option.ID, other(option)); err != nil {
			t.Errorf("%s: %s = %g while streaming: %v", s.Name(), option.ID, other(option), err)
		} else {
			w.waitUntil("OptionChanged of "+option.ID.String(), func() bool {
				v, ok := w.options[option.ID]
				return ok && v == other(option)
			})
		}
		w.frames(1, profiles)
		w.stop(s)
		Set(t, s, option.ID, option.Value) // w would report an event
	})
}
