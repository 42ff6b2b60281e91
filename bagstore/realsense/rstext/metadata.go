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

// Metadata is the text of a frame.
type Metadata struct {
	Number    uint64
	Domain    camdriver.Domain
	System    time.Time // zero: the text has none
	Timestamp float64   // ms
	Units     float32   // m a depth unit; 0: the text has none
	Values    []camdriver.MetadataValue
	Unknown   []string // keys without a name in camdriver
}

// ParseMetadata parses a frame's text. With an error, it also returns the values that it could
// parse.
func ParseMetadata(s string) (Metadata, error) {
	var m Metadata
	var bad error
	number, stamp := false, false
	fail := func(p Pair, err error) {
		if err != nil && bad == nil {
			bad = fmt.Errorf("metadata %.40q: %w", p.Key, err)
		}
	}
	for p := range Pairs(s) {
		var err error
		switch p.Key {
		case KeyNumber:
			m.Number, err = strconv.ParseUint(strings.TrimSpace(p.Value), 10, 64)
			number = err == nil
		case KeyDomain:
			m.Domain, _ = camdriver.ParseDomain(p.Value)
		case KeySystem:
			m.System, err = ParseMillis(p.Value)
		case KeyTimestamp:
			m.Timestamp, err = ParseNumber(p.Value)
			stamp = err == nil
		case KeyUnits:
			m.Units, err = ParseSingle(p.Value)
		default:
			var v int64
			key, known := camdriver.ParseMetadataKey(p.Key)
			if !known {
				m.Unknown = append(m.Unknown, p.Key)
			} else if v, err = strconv.ParseInt(strings.TrimSpace(p.Value), 10, 64); err == nil {
				m.Values = append(m.Values, camdriver.MetadataValue{Key: key, Value: v})
			}
		}
		fail(p, err)
	}
	if bad == nil && !(number && stamp) {
		bad = fmt.Errorf("metadata without %q and %q", KeyNumber, KeyTimestamp)
	}
	return m, bad
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

// ParseNotification parses a notification. Unknown categories and severities get a default.
func ParseNotification(s string) (camdriver.Notification, error) {
	f := fields{text: s}
	var known bool
	n := camdriver.Notification{Description: f.value("description"), Data: f.value("data")}
	if n.Category, known = camdriver.ParseCategory(f.value("category")); !known {
		n.Category = camdriver.NotifyUnknownError
	}
	if n.Severity, known = camdriver.ParseSeverity(f.value("severity")); !known {
		n.Severity = camdriver.SeverityNone
	}
	var err error
	n.Time, err = ParseMillis(f.value("timestamp"))
	f.fail("timestamp", err)
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
