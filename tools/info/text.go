package info

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"rsros/bagstore"
)

// WriteText prints the summary like rosbag info, then rates and sizes of each topic if known.
func (s *Summary) WriteText(to io.Writer) error {
	rows := [][2]string{{"path", s.Path}, {"version", s.Version}}
	if s.Messages > 0 {
		rows = append(rows, [2]string{"duration", durationText(s.Duration())})
		rows = append(rows, s.timeRows()...)
	}
	rows = append(rows, [2]string{"size", sizeText(float64(s.Size))})
	if s.Messages > 0 {
		rows = append(rows, [2]string{"messages", fmt.Sprint(s.Messages)})
		rows = append(rows, s.compressionRows()...)
		rows = append(rows, s.typeRows()...)
		rows = append(rows, s.topicRows()...)
		rows = append(rows, s.detailRows("rates", rateDetails)...)
		rows = append(rows, s.detailRows("sizes", sizeDetails)...)
	}
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	w := bufio.NewWriter(to)
	for _, r := range rows {
		name := r[0]
		if name != "" {
			name += ":"
		}
		fmt.Fprintf(w, "%-*s %s\n", width+1, name, strings.TrimRight(r[1], " "))
	}
	return w.Flush()
}

// timeRows says when it begins and ends, as rosbag info does, and if that isn't in the file, what is.
func (s *Summary) timeRows() [][2]string {
	r := s.Recorded
	switch {
	case r == nil:
		return [][2]string{{"start", timeText(s.Start)}, {"end", timeText(s.End)}}
	case r.Start == 0:
		return [][2]string{{"start", fmt.Sprintf("%.2f", s.Start.Seconds())}, {"end", fmt.Sprintf("%.2f", s.End.Seconds())},
			{"times", "seconds from the start of a RealSense recording; its stamps are the camera's clock, no date"}}
	}
	return [][2]string{{"start", timeText(r.Start)}, {"end", timeText(r.End)},
		{"times", fmt.Sprintf("in the file %.2f to %.2f, from the start of the RealSense recording", s.Start.Seconds(), s.End.Seconds())}}
}

func (s *Summary) compressionRows() [][2]string {
	if len(s.Compressions) == 0 {
		return [][2]string{{"compression", "none"}}
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
	rows := [][2]string{{"compression", strings.Join(uses, ", ")}}
	if !s.compressed() || s.Sampled > 0 {
		return rows
	}
	size, stored := sizeText(float64(s.Uncompressed)), sizeText(float64(s.Stored))
	n := max(len(size), len(stored))
	d := s.Duration().Seconds()
	if d <= 0 {
		return append(rows, [2]string{"uncompressed", fmt.Sprintf("%*s", n, size)}, [2]string{"compressed", fmt.Sprintf("%*s", n, stored)})
	}
	rate, storedRate := sizeText(float64(s.Uncompressed)/d), sizeText(float64(s.Stored)/d)
	k := max(len(rate), len(storedRate))
	return append(rows,
		[2]string{"uncompressed", fmt.Sprintf("%*s @ %*s/s", n, size, k, rate)},
		[2]string{"compressed", fmt.Sprintf("%*s @ %*s/s (%.2f%%)", n, stored, k, storedRate, percent(s.Stored, s.Uncompressed))})
}

func (s *Summary) typeRows() [][2]string {
	width := 0
	for _, t := range s.Types {
		width = max(width, len(t.Type))
	}
	rows := make([][2]string, len(s.Types))
	for i, t := range s.Types {
		rows[i][1] = fmt.Sprintf("%-*s [%s]", width, t.Type, t.MD5)
	}
	if len(rows) > 0 {
		rows[0][0] = "types"
	}
	return rows
}

func (s *Summary) topicRows() [][2]string {
	name, count, rate, typ := 0, 0, 0, 0
	for _, t := range s.Topics {
		name, count, typ = max(name, len(t.Topic)), max(count, len(fmt.Sprint(t.Messages))), max(typ, len(t.Type))
		if t.Rates != nil && t.Rates.Median > 0 {
			rate = max(rate, len(rateText(t.Rates.Median)))
		}
	}
	rows := make([][2]string, len(s.Topics))
	for i, t := range s.Topics {
		unit := "msgs"
		if t.Messages == 1 {
			unit = "msg "
		}
		line := fmt.Sprintf("%-*s   %*d %s", name, t.Topic, count, t.Messages, unit)
		if t.Rates != nil && t.Rates.Median > 0 {
			line += fmt.Sprintf(" @ %*s", rate, rateText(t.Rates.Median))
		} else {
			line += fmt.Sprintf("   %*s", rate, "")
		}
		line += fmt.Sprintf(" : %-*s", typ, t.Type)
		if t.Connections > 1 {
			line += fmt.Sprintf(" (%d connections)", t.Connections)
		}
		rows[i][1] = line
	}
	if len(rows) > 0 {
		rows[0][0] = "topics"
	}
	return rows
}

func (s *Summary) detailRows(title string, details func(*Summary, *TopicSummary) string) [][2]string {
	width := 0
	for _, t := range s.Topics {
		width = max(width, len(t.Topic))
	}
	var rows [][2]string
	for i := range s.Topics {
		t := &s.Topics[i]
		if text := details(s, t); text != "" {
			rows = append(rows, [2]string{title, fmt.Sprintf("%-*s   %s", width, t.Topic, text)})
			title = ""
		}
	}
	return rows
}

// rateDetails returns text such as "10.0 Hz, 1.0 Hz to 10.0 Hz; 1 gap, longest 1s after 1.9s".
func rateDetails(s *Summary, t *TopicSummary) string {
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
func sizeDetails(_ *Summary, t *TopicSummary) string {
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
	return fmt.Sprintf("%s.%02d (%.2f)", t.Std().Format("Jan 02 2006 15:04:05"), min(99, (t.Nsec()+5_000_000)/10_000_000), t.Seconds())
}

// sizeText returns a size with its unit, in steps of 1024 bytes.
func sizeText(bytes float64) string {
	for _, unit := range []string{"KB", "MB", "GB", "TB"} {
		if bytes /= 1024; bytes < 1024 {
			return fmt.Sprintf("%.1f %s", bytes, unit)
		}
	}
	return fmt.Sprintf("%.1f PB", bytes/1024)
}

func rateText(hz float64) string {
	for _, unit := range []string{"Hz", "kHz", "MHz"} {
		if hz < 1000 {
			return fmt.Sprintf("%.1f %s", hz, unit)
		}
		hz /= 1000
	}
	return fmt.Sprintf("%.1f GHz", hz)
}
