package rules

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"rsros/program/yaml"
)

const (
	// leastPeriodic is the number of messages from which a topic may be periodic.
	leastPeriodic = 10
	// maxPeriods is the longest gap of a periodic topic, in mean periods.
	maxPeriods = 10
	// maxDelay bounds the delays from which a rule follows: stamps of another clock are longer away.
	maxDelay = time.Hour
)

// Text returns a rule file that the measured recording keeps, and others like it.
func (m *Measures) Text() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Rules for recordings like one of %v, %d bytes and %d messages.
# Tolerances are generous: rates ±10 %%, gaps and steps of stamps doubled, sizes half to double. Adjust them.
recording:
  # duration: {min: 10s, max: 10m}
  # size: {max: 4G}
`, time.Duration(m.last-m.first), m.size, m.messages)
	fmt.Fprintf(&b, "  realsense: %t\n", m.RealSense)
	if m.RealSense {
		writeLimit(&b, "  lost_frames", count, math.Inf(-1), float64(m.LostFrames))
	}
	if len(m.compressions) > 0 {
		fmt.Fprintf(&b, "  compression: [%s]\n", strings.Join(m.compressions, ", "))
	}
	for i, t := range m.topics {
		if i == 0 {
			fmt.Fprintln(&b, "topics:")
		}
		if t.name != "" && utf8.ValidString(t.name) {
			m.write(&b, t)
		}
	}
	return b.Bytes(), yaml.Fits(b.Bytes())
}

func (m *Measures) write(b *bytes.Buffer, t *topic) {
	rate, gap, lost := t.rate(), m.gap(t), t.lost()
	// A topic that pauses for long has no typical rate.
	periodic := rate.found && t.timed >= leastPeriodic && gap.max*rate.max <= maxPeriods*float64(time.Second)
	fmt.Fprintf(b, "\n  # %d messages", t.messages)
	if rate.found {
		fmt.Fprintf(b, ", %.4g Hz", rate.max)
	}
	if rate.found && !periodic {
		fmt.Fprint(b, ", irregular")
	}
	fmt.Fprintf(b, "\n  - topic: %s\n", quote(t.name))
	if all := strings.Join(t.types, ""); utf8.ValidString(all) && !slices.Contains(t.types, "") {
		fmt.Fprintf(b, "    type: [%s]\n", quoteAll(t.types))
	}
	open := math.Inf(1)
	if t.messages == 0 {
		writeLimit(b, "    messages", count, 0, open)
	}
	if periodic {
		writeLimit(b, "    rate", hertz, round(0.9*rate.min, 3, math.Floor), round(1.1*rate.max, 3, math.Ceil))
		writeLimit(b, "    gap", spell, -open, round(2*gap.max, 2, math.Ceil))
	}
	switch s := t.size; {
	case t.messages > 1 && s.min == s.max:
		writeLimit(b, "    size", byteSize, s.min, s.max)
	case t.messages >= leastPeriodic:
		writeLimit(b, "    size", byteSize, math.Floor(s.min/2), 2*s.max)
	}
	if lost.found {
		writeLimit(b, "    lost", count, -open, lost.max)
	}
	if s := t.step; periodic && s.found && s.max > 0 {
		least := 0.0
		if s.min < 0 {
			least = -open
		}
		writeLimit(b, "    stamp_step", spell, least, round(2*s.max, 2, math.Ceil))
	}
	if s := t.delay; s.found && max(-s.min, s.max) < float64(maxDelay) {
		spare := max(s.max-s.min, float64(10*time.Millisecond))
		writeLimit(b, "    stamp_delay", spell, round(s.min-spare, 2, math.Floor), round(s.max+spare, 2, math.Ceil))
	}
}

func writeLimit(b *bytes.Buffer, key string, u unit, low, high float64) {
	var ends []string
	if !math.IsInf(low, 0) {
		ends = append(ends, "min: "+u.format(low))
	}
	if !math.IsInf(high, 0) {
		ends = append(ends, "max: "+u.format(high))
	}
	fmt.Fprintf(b, "%s: {%s}\n", key, strings.Join(ends, ", "))
}

// round rounds to some decimal digits with math.Floor or math.Ceil.
func round(v float64, digits int, to func(float64) float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow10(int(math.Floor(math.Log10(math.Abs(v)))) + 1 - digits)
	if scale < 1 { // 1/scale is exact
		return to(v*math.Round(1/scale)) / math.Round(1/scale)
	}
	return to(v/scale) * scale
}

// quote quotes a name if YAML could take it for something else.
func quote(name string) string {
	if strings.Trim(name, "/_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
		return name
	}
	return strconv.Quote(name)
}

func quoteAll(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = quote(name)
	}
	return strings.Join(list, ", ")
}
