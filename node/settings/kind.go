package settings

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is the kind of a setting's value. It decides how a text is read, and which values a
// parameter may have.
type Kind int

// The kinds. A parameter that is a number or a time and isn't positive means the default,
// as in realsense2_camera's launch files.
const (
	Bool     Kind = iota
	Text          // a parameter may be a whole number
	Texts         // the flag may be repeated; a parameter is a text or a list
	List          // Texts with commas between
	File          // a path
	Folder        // a path
	Serial        // a serial number; "_123" keeps YAML from reading a number
	Word          // one of Choices
	Value         // what the field's own Setter reads
	Profile       // of a stream: WIDTHxHEIGHT@FPS, or off; parameters: enable, width, height, rate
	Whole         // a whole number
	Number        // a number
	Positive      // a number above 0
	MB            // a size in 2^20 bytes, 0 or more
	KB            // a size in 2^10 bytes; 0 is a single byte, because 0 bytes are the default
	Bytes         // a size in bytes, or in k, M or G of 1024
	Seconds       // a time, 0 or more
	Offset        // a time in seconds
	Time          // a time above 0: seconds, or a number with s, m or h
	Wait          // a Time; a number that isn't positive is for ever, -1
)

var kindNames = [...]string{
	Bool: "bool", Text: "text", Texts: "text", List: "list", File: "file", Folder: "folder", Serial: "serial", Word: "word", Value: "value", Profile: "profile",
	Whole: "number", Number: "number", Positive: "number", MB: "MB", KB: "KB", Bytes: "size", Seconds: "seconds", Offset: "seconds", Time: "time", Wait: "time",
}

// String is the kind as help shows it, unless there is a unit.
func (k Kind) String() string { return kindNames[k] }

func (k Kind) number() bool { return k >= Whole && k <= KB }

func (k Kind) time() bool { return k == Time || k == Wait }

// wants is the type of a parameter.
func (k Kind) wants() string {
	switch {
	case k == Bool:
		return "true or false"
	case k.number() || k.time():
		return "a number"
	case k == Texts:
		return "text or a list of texts"
	}
	return "text"
}

// parse returns a bool, string, int64, float64 or time.Duration.
func (s *Setting) parse(text string) (v any, err error) {
	switch s.Kind {
	case Bool:
		if v, err = strconv.ParseBool(text); err != nil {
			err = errors.New("want true or false")
		}
	case Serial:
		v = strings.TrimPrefix(text, "_")
	case Word:
		if v = text; !slices.Contains(s.Choices, text) {
			err = fmt.Errorf("want %s", or(s.Choices))
		}
	case Whole:
		v, err = whole(text, math.MinInt, "")
	case Number, Positive:
		f, bad := strconv.ParseFloat(text, 64)
		if v = f; bad != nil || s.Kind == Positive && !(f > 0) {
			err = fmt.Errorf("want a number%s", map[Kind]string{Positive: " above 0"}[s.Kind])
		}
	case MB:
		n, bad := whole(text, 0, " of MB")
		v, err = n<<20, bad
	case KB:
		n, bad := whole(text, 0, " of KB")
		v, err = max(n<<10, 1), bad
	case Bytes:
		v, err = parseBytes(text)
	case Seconds, Offset:
		f, bad := strconv.ParseFloat(text, 64)
		if bad != nil || !(math.Abs(f) < 1e9) || s.Kind == Seconds && f < 0 {
			err = fmt.Errorf("want a number of seconds%s", map[Kind]string{Seconds: " that isn't negative"}[s.Kind])
		}
		v = time.Duration(math.Round(f * 1e9))
	case Time:
		v, err = parseTime(text)
	case Wait:
		if n, bad := strconv.ParseFloat(text, 64); bad == nil && n <= 0 {
			return time.Duration(-1), nil
		}
		v, err = parseTime(text)
	default:
		v = text
	}
	return v, err
}

// whole parses a whole number of 32 bits.
func whole(text string, least int64, of string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || of != "" && n > math.MaxInt32 {
		return 0, fmt.Errorf("want a whole number%s", of)
	}
	return n, nil
}

// parseTime parses a positive time in rosbag's notation: "30" (seconds), "30s", "5m",
// "1h".
func parseTime(s string) (time.Duration, error) {
	text := strings.TrimSpace(s)
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		text = strconv.FormatFloat(n, 'f', -1, 64) + "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, errors.New("want seconds, or a number with s, m or h")
	}
	return d, nil
}

// parseBytes parses a size as rosbag record has it.
func parseBytes(text string) (int64, error) {
	digits, shift := text, 0
	for i, unit := range []string{"k", "M", "G"} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			digits, shift = number, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, errors.New("want a number of bytes, or one with k, M or G")
	}
	return n << shift, nil
}

// or lists words.
func or(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
