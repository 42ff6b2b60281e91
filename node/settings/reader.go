package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"rsros/program"
)

// Reader reads private parameters. An empty text and a namespace count as unset.
type Reader struct {
	params map[string]any
	wrong  map[string]error // by name; settings may share a parameter
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

// Text returns a text or whole number as text, or "" if the parameter is unset.
func (r *Reader) Text(name string) string {
	texts, _ := r.read(name, Text)
	return cmp.Or(append(texts, "")...)
}

// Truth returns whether a parameter is true, and whether it is set.
func (r *Reader) Truth(name string) (on, set bool) {
	texts, set := r.read(name, Bool)
	return set && texts[0] == "true", set
}

// Number returns a number above 0, or 0 if the parameter is unset or -1, the device's choice.
func (r *Reader) Number(name string) int {
	texts, _ := r.read(name, Whole)
	n, _ := strconv.Atoi(cmp.Or(append(texts, "")...))
	return n
}

// read returns a parameter's values as texts for a flag of the kind, and whether it is set. A
// set parameter without texts means the default.
func (r *Reader) read(name string, k Kind) (texts []string, set bool) {
	value := r.params[name]
	switch v := value.(type) {
	case nil, map[string]any:
		return nil, false
	case bool:
		if k == Bool {
			return []string{strconv.FormatBool(v)}, true
		}
	case int:
		if k != Bool {
			return readNumber(float64(v), k), true // YAML reads a serial number as one
		}
	case float64:
		if (k.number() || k.time()) && !math.IsNaN(v) && !math.IsInf(v, 0) {
			return readNumber(v, k), true
		}
	case string:
		switch {
		case v == "":
			return nil, false
		case (k == Time || k == Size) && (v == "0" || v == "-1"):
			return nil, true
		case k != Bool && (!k.number() || k == Size):
			return []string{v}, true
		}
		value = strconv.Quote(v)
	case []any:
		for _, one := range v {
			text, ok := one.(string)
			if !ok || k != Texts && k != List {
				texts = nil
				break
			}
			texts = append(texts, text)
		}
		if texts != nil {
			return texts, true
		}
	}
	want := "text"
	if k == Bool || k.number() || k.time() {
		want = map[bool]string{true: "true or false", false: "a number"}[k == Bool]
	}
	r.wrong[name] = fmt.Errorf("want %s, not %v", want, value)
	return nil, false
}

func readNumber(n float64, k Kind) []string {
	switch {
	case n <= 0 && k.onlyPositive():
		return nil
	case k == Whole:
		n = math.Trunc(n)
	}
	return []string{strconv.FormatFloat(n, 'f', -1, 64)}
}
