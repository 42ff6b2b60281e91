package rstext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"rsros/camdriver"
)

// Keys of a frame's text, besides the names of metadata values.
const (
	KeyNumber    = "Frame number"
	KeyDomain    = "timestamp_domain"
	KeySystem    = "system_time" // ms since 1970
	KeyTimestamp = "timestamp"   // ms
	KeyUnits     = "depth_units" // m
)

// Keys of frames in bags only, where each value is a message.
const (
	KeyTracker   = "Tracker Confidence"
	KeyMapper    = "Mapper Confidence"
	KeyPoseStamp = "frame_timestamp" // ms; a Transform has no header
)

// Metadata is what is said about a frame.
type Metadata struct {
	Number    uint64
	Numbered  bool // there is a number
	Domain    camdriver.Domain
	System    time.Time // zero: there is none
	Timestamp float64   // ms
	Stamped   bool      // there is a timestamp
	Units     float32   // m a depth unit; 0: there are none
	Values    []camdriver.MetadataValue
	Unknown   []string // keys without a name in camdriver

	Tracker, Mapper uint32 // confidence of a pose
}

// ParseMetadata parses a frame's text. With an error, it also returns the values that it could parse.
func ParseMetadata(s string) (Metadata, error) {
	var m Metadata
	var bad error
	for p := range Pairs(s) {
		if err := m.Set(p.Key, p.Value); err != nil && bad == nil {
			bad = fmt.Errorf("metadata %.40q: %w", p.Key, err)
		}
	}
	if bad == nil && !(m.Numbered && m.Stamped) {
		bad = fmt.Errorf("metadata without %q and %q", KeyNumber, KeyTimestamp)
	}
	return m, bad
}

// Set sets what a key stands for.
func (m *Metadata) Set(key, value string) (err error) {
	number := strings.TrimSpace(value)
	switch key {
	case KeyNumber:
		m.Number, err = strconv.ParseUint(number, 10, 64)
		m.Numbered = err == nil
	case KeyDomain:
		m.Domain, _ = camdriver.ParseDomain(value)
	case KeySystem:
		m.System, err = ParseMillis(value)
	case KeyTimestamp, KeyPoseStamp:
		m.Timestamp, err = ParseNumber(value)
		m.Stamped = err == nil
	case KeyUnits:
		m.Units, err = ParseSingle(value)
	case KeyTracker:
		m.Tracker, err = confidence(number)
	case KeyMapper:
		m.Mapper, err = confidence(number)
	default:
		var v int64
		id, known := camdriver.ParseMetadataKey(key)
		if !known {
			m.Unknown = append(m.Unknown, key)
		} else if v, err = strconv.ParseInt(number, 10, 64); err == nil {
			m.Values = append(m.Values, camdriver.MetadataValue{Key: id, Value: v})
		}
	}
	return err
}

func confidence(s string) (uint32, error) {
	v, err := strconv.ParseUint(s, 10, 32)
	return uint32(v), err
}

// maxMillis is the last time that a time.Time of nanoseconds holds.
const maxMillis = math.MaxInt64 / 1e6

// ParseMillis parses a time in milliseconds since 1970, exactly if it has no exponent.
func ParseMillis(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	ms, err := ParseNumber(s)
	if err == nil && math.Abs(ms) >= maxMillis {
		err = fmt.Errorf("time %.40q: want milliseconds since 1970", s)
	}
	if err != nil {
		return time.Time{}, err
	}
	whole, part, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	rest, err2 := strconv.ParseUint((part + "000000")[:6], 10, 32)
	if err != nil || err2 != nil || n < 0 {
		whole, part := math.Modf(ms)
		return time.UnixMilli(int64(whole)).Add(time.Duration(math.Round(part * 1e6))), nil
	}
	return time.UnixMilli(n).Add(time.Duration(rest)), nil
}

// AppendMetadata is the inverse of ParseMetadata without unknown keys. A zero System is 0.
func AppendMetadata(b []byte, m Metadata) []byte {
	b = append(b, KeyNumber...)
	b = strconv.AppendUint(append(b, '='), m.Number, 10)
	b = append(append(b, ";"+KeyDomain+"="...), m.Domain.String()...)
	b = append(b, ";"+KeySystem+"="...)
	if m.System.IsZero() {
		b = append(b, "0.000000"...)
	} else {
		ns := m.System.UnixNano()
		if ns < 0 {
			b, ns = append(b, '-'), -ns
		}
		b = fmt.Appendf(b, "%d.%06d", ns/1e6, ns%1e6)
	}
	b = append(append(b, ";"+KeyTimestamp+"="...), Number(m.Timestamp)...)
	b = append(b, ';')
	if m.Units > 0 {
		b = append(append(b, KeyUnits+"="...), Single(m.Units)...)
		b = append(b, ';')
	}
	for i, v := range m.Values {
		if i > 0 && m.Values[i-1].Key == v.Key {
			continue
		}
		b = append(append(b, v.Key.String()...), '=')
		b = append(strconv.AppendInt(b, v.Value, 10), ';')
	}
	return b
}

// NewNotification returns a notification. Unknown categories and severities get a default.
func NewNotification(category, severity, description, data string, at time.Time) camdriver.Notification {
	n := camdriver.Notification{Time: at, Description: description, Data: data}
	var known bool
	if n.Category, known = camdriver.ParseCategory(category); !known {
		n.Category = camdriver.NotifyUnknownError
	}
	if n.Severity, known = camdriver.ParseSeverity(severity); !known {
		n.Severity = camdriver.SeverityNone
	}
	return n
}

// ParseNotification parses a notification.
func ParseNotification(s string) (camdriver.Notification, error) {
	f := fields{text: s}
	at, err := ParseMillis(f.value("timestamp"))
	f.fail("timestamp", err)
	n := NewNotification(f.value("category"), f.value("severity"), f.value("description"), f.value("data"), at)
	return n, f.err
}

// Notification is the inverse of ParseNotification. changed reports that Clean changed a value.
func Notification(n camdriver.Notification) (text string, changed bool) {
	description, c1 := Clean(n.Description)
	data, c2 := Clean(n.Data)
	return Join(
		Pair{"category", n.Category.String()}, Pair{"severity", n.Severity.String()},
		Pair{"description", description}, Pair{"timestamp", fmt.Sprint(max(n.Time.UnixMilli(), 0))}, Pair{"data", data},
	), c1 || c2
}
