package settings

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"rsros/program"
)

// Reader reads a node's private parameters and collects the errors of those that can't be
// used. An empty string and a namespace of the same name count as unset.
type Reader struct {
	params map[string]any
	wrong  map[string]error // by name, because settings share parameters
}

// NewReader reads p, which may be nil.
func NewReader(p map[string]any) *Reader { return &Reader{p, map[string]error{}} }

// Err returns all errors so far, by name. They wrap program.ErrUsage.
func (r *Reader) Err() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(r.wrong)) {
		errs = append(errs, fmt.Errorf("%w: parameter ~%s: %w", program.ErrUsage, name, r.wrong[name]))
	}
	return errors.Join(errs...)
}

// value returns nil if the parameter is unset.
func (r *Reader) value(name string) any {
	v := r.params[name]
	if _, tree := v.(map[string]any); tree || v == "" {
		return nil
	}
	return v
}

// mistyped notes that a parameter has a value of the wrong type.
func (r *Reader) mistyped(name, want string) {
	found := fmt.Sprint(r.params[name])
	if text, ok := r.params[name].(string); ok {
		found = strconv.Quote(text)
	}
	r.wrong[name] = fmt.Errorf("want %s, not %s", want, found)
}

// Text returns a text, or a whole number as one; "" if the parameter is unset.
func (r *Reader) Text(name string) string {
	switch v := r.value(name).(type) {
	case nil:
	case string:
		return v
	case int: // YAML reads a serial number as one
		return strconv.Itoa(v)
	default:
		r.mistyped(name, "text")
	}
	return ""
}

// texts returns a list of texts, or a single text as a list; nil if the parameter is unset.
func (r *Reader) texts(name string) (list []string) {
	values, ok := r.value(name).([]any)
	if !ok {
		if text := r.Text(name); text != "" {
			list = []string{text}
		}
		return list
	}
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			r.mistyped(name, "a list of texts")
		}
		list = append(list, text)
	}
	return list
}

// Truth returns whether a parameter is true, and whether it is set.
func (r *Reader) Truth(name string) (on, said bool) {
	switch v := r.value(name).(type) {
	case nil:
	case bool:
		return v, true
	default:
		r.mistyped(name, "true or false")
	}
	return false, false
}

// Number returns a positive number, or 0 if the parameter is unset or leaves the choice to the
// device, as -1 does.
func (r *Reader) Number(name string) float64 {
	n, _ := r.number(name)
	return n
}

func (r *Reader) number(name string) (n float64, said bool) {
	switch v := r.value(name).(type) {
	case nil:
		return 0, false
	case int:
		n = float64(v)
	case float64:
		n = v
	default:
		n = math.NaN()
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		r.mistyped(name, "a number")
		return 0, false
	}
	return max(n, 0), true
}

// read returns a setting's values as texts, as the flag has them; none without an error
// means that the parameter is unset, or, with said, that it leaves the value to the default.
func (r *Reader) read(name string, k Kind) (values []string, said bool) {
	text := ""
	switch {
	case k == Bool:
		var on bool
		if on, said = r.Truth(name); said {
			text = strconv.FormatBool(on)
		}
	case k == Texts:
		values = r.texts(name)
		return values, values != nil
	case k.number():
		var n float64
		if n, said = r.number(name); n > 0 {
			if k != Number && k != Positive {
				n = math.Trunc(n)
			}
			text = strconv.FormatFloat(n, 'f', -1, 64)
		}
	case k == Time || k == Wait:
		text, said = r.time(name)
		if k == Time && (text == "0" || text == "-1") {
			text = ""
		}
	default:
		text = r.Text(name)
		said = text != ""
	}
	if text != "" {
		values = []string{text}
	}
	return values, said
}

// time returns a time as text: seconds, or what a text has.
func (r *Reader) time(name string) (text string, said bool) {
	if text, ok := r.value(name).(string); ok {
		return text, true
	}
	n, said := r.number(name)
	if said {
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return text, said
}
