package settings

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rsros/bagstore"
)

// Kind is the kind of a setting's value: how it is parsed, and what a parameter may be.
type Kind int

// The kinds. A parameter that is a count, a size or a time and isn't positive means the default,
// as in realsense2_camera's launch files; one that is a Number never does.
const (
	Bool       Kind = iota
	Text            // a parameter may be a whole number
	Texts           // the flag may be repeated; a parameter is a text or a list
	List            // Texts separated by commas
	File            // a path
	Folder          // a path
	Serial          // a serial number; "_123" keeps YAML from reading a number
	Word            // one of Choices
	Value           // parsed by the field's Setter
	Expression      // a Value: a regular expression
	Profile         // of a stream: WIDTHxHEIGHT@FPS, or off; parameters: enable, width, height, rate
	Whole           // a whole number
	Number          // a number
	Positive        // a number above 0
	Size            // a number with k, M or G, powers of 1024, or in units of Bare; 0 or more
	Time            // a time above 0: seconds, or a number with s, m or h
	TimeOrZero      // a Time, or 0
	Wait            // a Time; a number that isn't positive means forever, -1
	Limit           // a whole number; one that isn't positive means no limit, -1
)

// kinds has the names of values in help, and the descriptions in errors.
var kinds = [...]struct{ name, wants string }{
	Bool: {"bool", "true or false"}, Text: {name: "NAME"}, Texts: {name: "NAME"}, List: {name: "NAME,..."},
	File: {name: "FILE"}, Folder: {name: "FOLDER"}, Serial: {name: "SERIAL"}, Word: {name: "NAME"}, Value: {name: "VALUE"},
	Expression: {name: "REGEX"}, Profile: {name: "PROFILE"},
	Whole: {"N", "a whole number"}, Number: {"N", "a number"}, Positive: {"N", "a number above 0"},
	Size: {"SIZE", wantSize}, Time: {"TIME", wantTime}, TimeOrZero: {"TIME", wantTime}, Wait: {"TIME", wantTime},
	Limit: {"N", "a whole number"},
}

const (
	wantSize = "a size such as 512M or 1.5G"
	wantTime = "a time such as 10s, 2m, 1.5h or 10 (seconds)"
)

// String returns the kind's name in help.
func (k Kind) String() string { return kinds[k].name }

func (k Kind) number() bool { return k >= Whole && k <= Size }

// onlyPositive reports whether a parameter that isn't positive means the default.
func (k Kind) onlyPositive() bool { return k.number() && k != Number || k == Time }

func (k Kind) time() bool { return k == Time || k == TimeOrZero || k == Wait }

// parse returns a bool, string, int64, float64 or time.Duration.
func (s *Setting) parse(text string) (any, error) {
	if s.Kind == Word && !slices.Contains(s.Choices, text) {
		last := len(s.Choices) - 1
		return nil, fmt.Errorf("want %s or %s", strings.Join(s.Choices[:last], ", "), s.Choices[last])
	}
	if s.Kind == Size {
		return ParseSize(text, s.Bare)
	}
	v, ok := s.Kind.parse(text)
	if !ok {
		return nil, fmt.Errorf("want %s", kinds[s.Kind].wants)
	}
	return v, nil
}

func (k Kind) parse(text string) (v any, ok bool) {
	switch k {
	case Bool:
		on, err := strconv.ParseBool(text)
		return on, err == nil
	case Serial:
		return strings.TrimPrefix(text, "_"), true
	case Whole, Limit:
		n, err := strconv.ParseInt(text, 10, 64)
		if n <= 0 && k == Limit {
			n = -1
		}
		return n, err == nil
	case Number, Positive:
		f, err := strconv.ParseFloat(text, 64)
		return f, err == nil && (k == Number || f > 0)
	case Time, TimeOrZero, Wait:
		return parseTime(text, k)
	}
	return text, true
}

// parseTime parses a time in the notation of [bagstore.ParseSeconds].
func parseTime(text string, k Kind) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(text, 64); err == nil && n <= 0 && k == Wait {
		return -1, true
	}
	d, err := bagstore.ParseSeconds(text)
	return d, err == nil && (d > 0 || k == TimeOrZero)
}

// ParseSize parses a size: a number with k, M or G, powers of 1024, after which a B may follow.
// A number alone counts in units of bare; if that is 0, only 0 may be alone.
func ParseSize(text string, bare int64) (int64, error) {
	number, unit := strings.TrimSuffix(text, "B"), bare
	for i, letter := range []string{"k", "M", "G"} {
		if before, ok := strings.CutSuffix(number, letter); ok {
			number, unit = before, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if size := n * float64(unit); err == nil && n >= 0 && size < math.MaxInt64 && (unit > 0 || n == 0) {
		return int64(size), nil
	}
	return 0, errors.New("want " + wantSize)
}
