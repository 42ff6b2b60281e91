package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
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
	MB              // a size in 2^20 bytes, or with a suffix as in Bytes, 0 or more
	KB              // a size in 2^10 bytes, or with a suffix; 0 is a single byte, because 0 bytes are the default
	Bytes           // a size in bytes, or with the suffix k, M or G, powers of 1024
	Seconds         // a time, 0 or more
	Offset          // a time in seconds
	Time            // a time above 0: seconds, or a number with s, m or h
	Wait            // a Time; a number that isn't positive means forever, -1
	Limit           // a whole number; one that isn't positive means no limit, -1
)

// kinds has the names of values in help, and the descriptions in errors.
var kinds = [...]struct{ name, wants string }{
	Bool: {"bool", "true or false"}, Text: {name: "NAME"}, Texts: {name: "NAME"}, List: {name: "NAME,…"},
	File: {name: "FILE"}, Folder: {name: "FOLDER"}, Serial: {name: "SERIAL"}, Word: {name: "NAME"}, Value: {name: "VALUE"}, Expression: {name: "REGEX"}, Profile: {name: "PROFILE"},
	Whole: {"N", "a whole number"}, Number: {"N", "a number"}, Positive: {"N", "a number above 0"},
	MB: {"SIZE", "a number of MB, or one with k, M or G"}, KB: {"SIZE", "a number of KB, or one with k, M or G"}, Bytes: {"SIZE", "a number of bytes, or one with k, M or G"},
	Seconds: {"TIME", "a number of seconds that isn't negative"}, Offset: {"TIME", "a number of seconds"},
	Time: {"TIME", "seconds, or a number with s, m or h"}, Wait: {"TIME", "seconds, or a number with s, m or h"},
	Limit: {"N", "a whole number"},
}

// String returns the kind's name in help.
func (k Kind) String() string { return kinds[k].name }

func (k Kind) number() bool { return k >= Whole && k <= KB }

// onlyPositive reports whether a parameter that isn't positive means the default.
func (k Kind) onlyPositive() bool { return k.number() && k != Number || k == Time }

func (k Kind) time() bool { return k == Time || k == Wait }

// parse returns a bool, string, int64, float64 or time.Duration.
func (s *Setting) parse(text string) (any, error) {
	if s.Kind == Word && !slices.Contains(s.Choices, text) {
		last := len(s.Choices) - 1
		return nil, fmt.Errorf("want %s or %s", strings.Join(s.Choices[:last], ", "), s.Choices[last])
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
	case MB:
		return ParseMB(text)
	case KB:
		n, ok := parseSize(text, 10)
		return max(n, 1), ok
	case Bytes:
		return ParseBytes(text)
	case Seconds, Offset:
		f, err := strconv.ParseFloat(text, 64)
		return time.Duration(math.Round(f * 1e9)), err == nil && math.Abs(f) < 1e9 && (k == Offset || f >= 0)
	case Time, Wait:
		return parseTime(text, k)
	}
	return text, true
}

// parseTime parses a time in rosbag's notation: "30" (seconds), "30s", "5m", "1h".
func parseTime(text string, k Kind) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		if n <= 0 && k == Wait {
			return -1, true
		}
		text = strconv.FormatFloat(n, 'f', -1, 64) + "s"
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0
}

// ParseBytes parses a size: bytes, or a number with k, M or G, powers of 1024; a B may follow.
func ParseBytes(text string) (int64, bool) { return parseSize(text, 0) }

// ParseMB parses a size in MB, as rosbag has it, or one with a unit.
func ParseMB(text string) (int64, bool) { return parseSize(text, 20) }

// parseSize parses a size. If it has no unit, its unit is the given power of 2.
func parseSize(text string, shift int) (int64, bool) {
	text = strings.TrimSuffix(text, "B")
	for i, unit := range []string{"k", "M", "G"} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseFloat(number, 64)
			n *= float64(int64(1) << (10 * (i + 1)))
			return int64(n), err == nil && n >= 0 && n < math.MaxInt64
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n << shift, err == nil && n >= 0 && n <= math.MaxInt64>>shift
}
