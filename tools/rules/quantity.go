package rules

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"rsros/bagstore"
)

// unit is how limits of a quantity are written.
type unit struct {
	wants  string
	parse  func(string) (float64, bool)
	format func(float64) string
	suffix string // in reports
}

func (u unit) text(v float64) string { return u.format(v) + u.suffix }

var (
	count    = unit{"a whole number, at least 0", parseCount, formatCount, ""}
	byteSize = unit{"bytes, or KiB, MiB or GiB with k, M or G", parseBytes, formatCount, " bytes"}
	hertz    = unit{"a number of at least 0, in Hz",
		func(text string) (float64, bool) {
			v, err := strconv.ParseFloat(text, 64)
			return v, err == nil && v >= 0 && !math.IsInf(v, 0)
		},
		func(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }, " Hz"}
	spell = unit{"a time with its unit, such as 100ms, 1.5s or 2m",
		func(text string) (float64, bool) {
			d, err := time.ParseDuration(text)
			return float64(d), err == nil
		},
		func(v float64) string { return time.Duration(v).String() }, ""}
)

func formatCount(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }

// maxCount is the largest whole number below which a float64 holds every other.
const maxCount = 1 << 53

func parseCount(text string) (float64, bool) {
	n, err := strconv.ParseUint(text, 10, 53)
	return float64(n), err == nil
}

func parseBytes(text string) (float64, bool) {
	scale := 1.0
	for i, name := range "kMG" {
		if number, ok := strings.CutSuffix(text, string(name)); ok {
			text, scale = number, float64(int(1)<<(10*(i+1)))
		}
	}
	n, ok := parseCount(text)
	return n * scale, ok && n*scale < maxCount
}

// quantity is what a key of the rule file limits.
type quantity struct {
	key     string
	unit    unit
	meaning string // for the documentation
	of      func(*Measures, *topic) spread
}

// ofRecording are the quantities of a whole recording. Their topic is nil.
var ofRecording = []quantity{
	{"duration", spell, "from the first message to the last",
		func(m *Measures, _ *topic) spread { return exactly(float64(m.last - m.first)) }},
	{"size", byteSize, "size of the file or folder",
		func(m *Measures, _ *topic) spread { return exactly(float64(m.size)) }},
	{"messages", count, "number of whole messages",
		func(m *Measures, _ *topic) spread { return exactly(float64(m.messages)) }},
	{"out_of_order", count, "number of messages earlier than the one before them in the file (bags only)",
		func(m *Measures, _ *topic) spread { return exactly(float64(m.OutOfOrder)) }},
	{"lost_frames", count, "frame numbers missing in a RealSense recording", (*Measures).lostFrames},
}

// ofTopic are the quantities of a topic with messages.
var ofTopic = []quantity{
	{"messages", count, "number of whole messages; at least 1 unless the file says otherwise or the topic is optional",
		func(_ *Measures, t *topic) spread { return exactly(float64(t.messages)) }},
	{"rate", hertz, "mean rate, from the topic's first message to its last",
		func(_ *Measures, t *topic) spread { return t.rate() }},
	{"gap", spell, "longest time without a message, also before the first and after the last one", (*Measures).gap},
	{"size", byteSize, "size of a message", func(_ *Measures, t *topic) spread { return t.size }},
	{"lost", count, "messages of all publishers that are missing by `header.seq`, which ROS 2 doesn't have",
		func(_ *Measures, t *topic) spread { return t.lost() }},
	{"stamp_step", spell, "from the stamp of a publisher's message to the stamp of its next one; negative if stamps go back",
		func(_ *Measures, t *topic) spread { return t.stamps(t.step) }},
	{"stamp_delay", spell, "from a message's stamp to its record time: the offset of the clocks and the delay",
		func(_ *Measures, t *topic) spread { return t.stamps(t.delay) }},
}

// spread is the range of the measured values, and where its ends are. The zero value is empty.
type spread struct {
	found        bool
	min, max     float64
	minAt, maxAt bagstore.Time // 0: not one place
	why          string        // if not empty, there is no value for this reason
}

func exactly(v float64) spread { return spread{found: true, min: v, max: v} }

func (s *spread) add(v float64, at bagstore.Time) {
	if !s.found || v < s.min {
		s.min, s.minAt = v, at
	}
	if !s.found || v > s.max {
		s.max, s.maxAt = v, at
	}
	s.found = true
}

type limit struct {
	*quantity
	line     int     // in the rule file
	min, max float64 // -Inf and +Inf are open
}

func (l limit) describe() string {
	switch {
	case l.min == l.max:
		return l.unit.text(l.min)
	case math.IsInf(l.max, 0):
		return "at least " + l.unit.text(l.min)
	case math.IsInf(l.min, 0):
		return "at most " + l.unit.text(l.max)
	}
	return fmt.Sprintf("%s to %s", l.unit.format(l.min), l.unit.text(l.max))
}

// breaks returns what was found beyond the limit, and where, or "".
func (l limit) breaks(s spread) (found string, at bagstore.Time) {
	switch {
	case s.why != "":
		return s.why, 0
	case s.found && s.min < l.min:
		return l.unit.text(s.min), s.minAt
	case s.found && s.max > l.max:
		return l.unit.text(s.max), s.maxAt
	}
	return "", 0
}
