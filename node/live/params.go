package live

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"rsros/node/record"
	"rsros/program"
)

// params are a node's private parameters, as the parameter server returns them.
type params map[string]any

// reader reads private parameters and collects errors of those that have the wrong
// type. An empty string and a namespace of the same name count as unset.
type reader struct {
	params
	wrong map[string]error // by name, because streams share parameters
}

func newReader(p params) *reader { return &reader{p, map[string]error{}} }

// err returns all errors so far, by name.
func (p *reader) err() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(p.wrong)) {
		errs = append(errs, p.wrong[name])
	}
	return errors.Join(errs...)
}

// value returns nil if the parameter is unset.
func (p *reader) value(name string) any {
	switch v := p.params[name].(type) {
	case map[string]any:
		return nil
	case string:
		if v == "" {
			return nil
		}
	}
	return p.params[name]
}

// refuse notes that a parameter has a value of the wrong type.
func (p *reader) refuse(name, want string, v any) {
	found := fmt.Sprint(v)
	if text, ok := v.(string); ok {
		found = strconv.Quote(text)
	}
	p.wrong[name] = fmt.Errorf("%w: parameter ~%s: want %s, not %s", program.ErrUsage, name, want, found)
}

func (p *reader) text(name string) string {
	switch v := p.value(name).(type) {
	case nil:
	case string:
		return v
	case int: // YAML reads a serial number as an integer
		return strconv.Itoa(v)
	default:
		p.refuse(name, "text", v)
	}
	return ""
}

// is reports whether a parameter is set and true.
func (p *reader) is(name string) bool {
	on, _ := p.truth(name)
	return on
}

// truth returns whether a parameter is true, and whether it is set.
func (p *reader) truth(name string) (on, said bool) {
	switch v := p.value(name).(type) {
	case nil:
	case bool:
		return v, true
	default:
		p.refuse(name, "true or false", v)
	}
	return false, false
}

// number returns a positive number, or 0. realsense2_camera's 0 and -1 mean "the
// device's choice", which is 0 here.
func (p *reader) number(name string) int { return int(p.real(name)) }

// real is number with a fraction.
func (p *reader) real(name string) float64 {
	switch v := p.value(name).(type) {
	case nil:
	case int:
		return max(float64(v), 0)
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return max(v, 0)
		}
		p.refuse(name, "a number", v)
	default:
		p.refuse(name, "a number", v)
	}
	return 0
}

// duration sets a field that the user didn't set.
func (p *reader) duration(name string, field *time.Duration) {
	text, ok := p.value(name).(string)
	if !ok {
		if v := p.real(name); v > 0 {
			text = strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	if text == "" || text == "0" || text == "-1" || *field != 0 {
		return
	}
	d, err := record.ParseDuration(text)
	if err != nil {
		p.wrong[name] = fmt.Errorf("parameter ~%s: %w", name, err)
		return
	}
	*field = d
}
