package catalog

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Query selects rows. The zero Query selects all.
type Query struct {
	words    []word
	from, to int64 // nanoseconds since 1970, 0 if not given
}

// word is a text that a field must contain, in lower case.
type word struct{ field, text string }

// ParseQuery parses words that a row must all have, in any case: in its name, a topic, a type or the device, or in one
// of them only, as in topic:/scan, type:Image, device:D435, name:walk and state:damaged. from:2026-03-01 and
// to:2026-03-01T12:00 select recordings that have a part in that time, of the local time zone; a date alone is the
// whole day.
func ParseQuery(text string) (q Query, err error) {
	for _, w := range strings.Fields(text) {
		field, rest, ok := strings.Cut(w, ":")
		switch {
		case ok && field == "from":
			q.from, _, err = parseTime(rest)
		case ok && field == "to":
			_, q.to, err = parseTime(rest)
		case ok && (field == "name" || field == "topic" || field == "type" || field == "device" || field == "state"):
			q.words = append(q.words, word{field, strings.ToLower(rest)})
		default:
			q.words = append(q.words, word{text: strings.ToLower(w)})
		}
		if err != nil {
			return q, err
		}
	}
	return q, nil
}

// parseTime returns the beginning and the end of what a time may mean.
func parseTime(text string) (from, to int64, err error) {
	for _, l := range []struct {
		layout string
		length time.Duration
	}{{time.DateOnly, 24 * time.Hour}, {"2006-01-02T15:04", time.Minute},
		{"2006-01-02T15:04:05", time.Second}, {time.RFC3339, time.Second}} {
		if t, err := time.ParseInLocation(l.layout, text, time.Local); err == nil {
			return t.UnixNano(), t.Add(l.length).UnixNano() - 1, nil
		}
	}
	return 0, 0, fmt.Errorf("time %q: want a date such as 2026-03-01, or a time such as 2026-03-01T12:00", text)
}

// Match reports whether a row is selected.
func (q Query) Match(r *Row) bool {
	if q.from != 0 && r.End < q.from || q.to != 0 && r.Start > q.to || cmp.Or(q.from, q.to) != 0 && r.Messages == 0 {
		return false
	}
	for _, w := range q.words {
		if !r.has(w) {
			return false
		}
	}
	return true
}

func (r *Row) has(w word) bool {
	in := func(field, text string) bool {
		return (w.field == field || w.field == "" && field != "state") && strings.Contains(strings.ToLower(text), w.text)
	}
	if in("name", r.Name) || in("state", string(r.State)) || in("device", r.Device) ||
		in("device", r.Serial) || in("device", r.Firmware) {
		return true
	}
	for _, t := range r.Topics {
		if in("topic", t.Name) || in("type", t.Type) {
			return true
		}
	}
	return false
}
