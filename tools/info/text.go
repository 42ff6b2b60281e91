package info

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"rsros/bagstore"
)

// rows are the lines of a text, each with a label.
type rows [][2]string

func (r *rows) add(label string, lines ...string) {
	for _, line := range lines {
		*r = append(*r, [2]string{label, line})
	}
}

// write prints the lines after their labels, in width cells and a colon. A label is printed before its first line only.
func (r rows) write(to io.Writer, width int) error {
	w := bufio.NewWriter(to)
	before := ""
	for _, row := range r {
		name := ""
		if row[0] != before {
			name = row[0] + ":"
		}
		before = row[0]
		fmt.Fprintf(w, "%-*s %s\n", width+1, name, strings.TrimRight(row[1], " "))
	}
	return w.Flush()
}

// WriteText prints the summary like rosbag info, then rates and sizes of each topic if known.
func (s *Summary) WriteText(to io.Writer) error {
	var r rows
	r.add("path", s.Path)
	r.add("version", s.Version)
	if s.Messages > 0 {
		r.add("duration", durationText(s.Duration()))
		s.times(&r)
	}
	r.add("size", sizeText(float64(s.Size)))
	if s.Messages > 0 {
		r.add("messages", fmt.Sprint(s.Messages))
		s.compression(&r)
		r.add("types", s.typeLines()...)
		r.add("topics", s.topicLines()...)
		r.add("cameras", s.cameraLines()...)
		r.add("rates", s.details(s.rateDetails)...)
		r.add("sizes", s.details(sizeDetails)...)
	}
	width := 0
	for _, row := range r {
		width = max(width, len(row[0]))
	}
	return r.write(to, width)
}

// cameraLines has a line for each camera, if there are several.
func (s *Summary) cameraLines() (lines []string) {
	for _, c := range s.Cameras {
		lines = append(lines, c.Name+": "+strings.Join(c.Streams, ", "))
	}
	if len(lines) < 2 {
		return nil
	}
	return lines
}

// times says when it begins and ends, as rosbag info does, and if that isn't in the file, what is.
func (s *Summary) times(to *rows) {
	start, end, times := timeText(s.Start), timeText(s.End), []string(nil)
	switch r := s.Recorded; {
	case r == nil:
	case r.Start == 0:
		start, end = fmt.Sprintf("%.2f", s.Start.Seconds()), fmt.Sprintf("%.2f", s.End.Seconds())
		times = []string{"seconds from the start of a RealSense recording; its stamps are the camera's clock, no date"}
	default:
		start, end = timeText(r.Start), timeText(r.End)
		times = []string{fmt.Sprintf("in the file %.2f to %.2f, from the start of the RealSense recording",
			s.Start.Seconds(), s.End.Seconds())}
	}
	to.add("start", start)
	to.add("end", end)
	to.add("times", times...)
}

func (s *Summary) compression(to *rows) {
	if len(s.Compressions) == 0 {
		to.add("compression", "none")
		return
	}
	percent := func(stored, uncompressed int64) float64 { return 100 * float64(stored) / float64(max(1, uncompressed)) }
	var uses []string
	for _, u := range s.Compressions {
		part := fmt.Sprintf("%s [%d/%d chunks]", u.Kind, u.Chunks, s.Chunks)
		if u.Kind != bagstore.None {
			part = fmt.Sprintf("%s [%d/%d chunks; %.2f%%]", u.Kind, u.Chunks, s.Chunks, percent(u.Stored, u.Uncompressed))
		}
		uses = append(uses, part)
	}
	to.add("compression", strings.Join(uses, ", "))
	if !s.compressed() || s.Sampled > 0 {
		return
	}
	size, stored := aligned(sizeText(float64(s.Uncompressed)), sizeText(float64(s.Stored)))
	if d := s.Duration().Seconds(); d > 0 {
		rate, storedRate := aligned(sizeText(float64(s.Uncompressed)/d), sizeText(float64(s.Stored)/d))
		size += fmt.Sprintf(" @ %s/s", rate)
		stored += fmt.Sprintf(" @ %s/s (%.2f%%)", storedRate, percent(s.Stored, s.Uncompressed))
	}
	to.add("uncompressed", size)
	to.add("compressed", stored)
}

// aligned returns texts that end in one column.
func aligned(a, b string) (string, string) {
	n := max(len(a), len(b))
	return fmt.Sprintf("%*s", n, a), fmt.Sprintf("%*s", n, b)
}

func (s *Summary) typeLines() (lines []string) {
	width := 0
	for _, t := range s.Types {
		width = max(width, len(t.Type))
	}
	for _, t := range s.Types {
		lines = append(lines, fmt.Sprintf("%-*s [%s]", width, t.Type, t.MD5))
	}
	return lines
}

func (s *Summary) topicLines() (lines []string) {
	name, count, rate, typ := 0, 0, 0, 0
	for _, t := range s.Topics {
		name, count, typ = max(name, len(t.Topic)), max(count, len(fmt.Sprint(t.Messages))), max(typ, len(t.Type))
		rate = max(rate, len(t.median()))
	}
	for _, t := range s.Topics {
		unit, at := "msgs", "  "
		if t.Messages == 1 {
			unit = "msg "
		}
		if t.median() != "" {
			at = " @"
		}
		line := fmt.Sprintf("%-*s   %*d %s%s %*s : %-*s", name, t.Topic, count, t.Messages, unit, at,
			rate, t.median(), typ, t.Type)
		if t.Connections > 1 {
			line += fmt.Sprintf(" (%d connections)", t.Connections)
		}
		lines = append(lines, line)
	}
	return lines
}

// median returns a topic's median rate, "" if it isn't known.
func (t *TopicSummary) median() string {
	if t.Rates == nil || t.Rates.Median <= 0 {
		return ""
	}
	return rateText(t.Rates.Median)
}

func (s *Summary) details(of func(*TopicSummary) string) (lines []string) {
	width := 0
	for _, t := range s.Topics {
		width = max(width, len(t.Topic))
	}
	for i := range s.Topics {
		t := &s.Topics[i]
		if text := of(t); text != "" {
			lines = append(lines, fmt.Sprintf("%-*s   %s", width, t.Topic, text))
		}
	}
	return lines
}

// rateDetails returns text such as "10.0 Hz, 1.0 Hz to 10.0 Hz; 1 gap, longest 1s after 1.9s".
func (s *Summary) rateDetails(t *TopicSummary) string {
	r := t.Rates
	if r == nil || r.Mean == 0 {
		return ""
	}
	text := fmt.Sprintf("%s, %s to %s; ", rateText(r.Mean), rateText(r.Min), rateText(r.Max))
	if r.Max == 0 { // several messages at one time
		text = fmt.Sprintf("%s, %s or more; ", rateText(r.Mean), rateText(r.Min))
	}
	switch r.Gaps {
	case 0:
		return text + "no gap"
	case 1:
		text += "1 gap"
	default:
		text += fmt.Sprintf("%d gaps", r.Gaps)
	}
	at := r.GapAt.Sub(s.Start).Round(time.Millisecond)
	return text + fmt.Sprintf(", longest %v after %v", r.LongestGap.Round(100*time.Microsecond), at)
}

// sizeDetails returns text such as "57.0 KB, 313 to 600 bytes each".
func sizeDetails(t *TopicSummary) string {
	z := t.Sizes
	switch {
	case z == nil:
		return ""
	case z.Min == z.Max:
		return fmt.Sprintf("%s, %d bytes each", sizeText(float64(z.Bytes)), z.Min)
	}
	return fmt.Sprintf("%s, %d to %d bytes each", sizeText(float64(z.Bytes)), z.Min, z.Max)
}

// durationText returns text such as "3.5s", "1:02s (62s)" or "1hr 2:03s (3723s)".
func durationText(d time.Duration) string {
	s := int64(d.Seconds())
	switch {
	case s >= 3600:
		return fmt.Sprintf("%dhr %d:%02ds (%ds)", s/3600, s/60%60, s%60, s)
	case s >= 60:
		return fmt.Sprintf("%d:%02ds (%ds)", s/60, s%60, s)
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

// timeText returns the local time with hundredths, and the seconds since 1970.
func timeText(t bagstore.Time) string {
	return fmt.Sprintf("%s.%02d (%.2f)", t.Std().Format("Jan 02 2006 15:04:05"),
		min(99, (t.Nsec()+5_000_000)/10_000_000), t.Seconds())
}

// sizeText returns a size with its unit, in steps of 1024 bytes.
func sizeText(bytes float64) string { return scaled(bytes/1024, 1024, "KB", "MB", "GB", "TB", "PB") }

func rateText(hz float64) string { return scaled(hz, 1000, "Hz", "kHz", "MHz", "GHz") }

// scaled returns a number in the first unit, each step times the one before, in which it is less than a step.
func scaled(v, step float64, units ...string) string {
	for v >= step && len(units) > 1 {
		v, units = v/step, units[1:]
	}
	return fmt.Sprintf("%.1f %s", v, units[0])
}
