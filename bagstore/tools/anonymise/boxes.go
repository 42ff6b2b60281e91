package anonymise

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"rsros/program/regular"
)

// Bounds of a file of boxes. The index has 24 bytes for each line.
const (
	maxLine   = 1 << 20 // bytes
	maxLines  = 4 << 20
	maxTopics = 4096
	maxTopic  = 4096 // bytes of a name
)

// box is a region in pixels from the image's upper left corner. It has the pixels that it touches.
type box struct{ left, top, right, bottom float64 }

// UnmarshalJSON decodes {"x", "y", "w", "h"} or {"x1", "y1", "x2", "y2"}, and ignores other keys.
func (b *box) UnmarshalJSON(text []byte) error {
	var v struct{ X, Y, W, H, X1, Y1, X2, Y2 *float64 }
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	size := v.X != nil && v.Y != nil && v.W != nil && v.H != nil
	corners := v.X1 != nil && v.Y1 != nil && v.X2 != nil && v.Y2 != nil
	switch {
	case size == corners:
		return fmt.Errorf("box %.100s: want x, y, w and h, or x1, y1, x2 and y2", text)
	case size:
		*b = box{*v.X, *v.Y, *v.X + *v.W, *v.Y + *v.H}
	default:
		*b = box{*v.X1, *v.Y1, *v.X2, *v.Y2}
	}
	if b.left >= b.right || b.top >= b.bottom {
		return fmt.Errorf("box %.100s has no area", text)
	}
	for _, edge := range []float64{b.left, b.top, b.right, b.bottom} {
		if math.Abs(edge) > 1e6 {
			return fmt.Errorf("box %.100s: want at most 1000000 pixels", text)
		}
	}
	return nil
}

// line is a line of the file: the boxes of an image of a topic. The image is named by its header's
// stamp or by the time at which it was recorded, in nanoseconds.
type line struct {
	topic  string
	at     int64
	byTime bool
	boxes  []box
}

func parseLine(text []byte) (l line, err error) {
	var v struct {
		Topic       string
		Stamp, Time json.RawMessage
		Boxes       []box
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return l, err
	}
	l = line{topic: v.Topic, byTime: v.Time != nil, boxes: v.Boxes}
	switch {
	case l.topic == "" || len(l.topic) > maxTopic:
		return l, fmt.Errorf("a topic of %d bytes, want 1 to %d", len(l.topic), maxTopic)
	case (v.Stamp == nil) == (v.Time == nil):
		return l, errors.New("want either a stamp or a time")
	case v.Boxes == nil:
		return l, errors.New("there are no boxes; for an image without any, want an empty list")
	case l.byTime:
		l.at, err = parseTime(v.Time)
	default:
		l.at, err = parseTime(v.Stamp)
	}
	return l, err
}

// parseTime reads nanoseconds, or a string of seconds with nine decimals. A float's seconds aren't exact.
func parseTime(text []byte) (int64, error) {
	digits, quoted := bytes.CutPrefix(text, []byte{'"'})
	if quoted {
		sec, nsec, _ := strings.Cut(strings.TrimSuffix(string(digits), `"`), ".")
		if len(sec) > 10 || len(nsec) != 9 {
			return 0, fmt.Errorf("time %.40s: want seconds with nine decimals", text)
		}
		digits = []byte(sec + nsec)
	}
	ns, err := strconv.ParseUint(string(digits), 10, 63)
	if err != nil {
		return 0, fmt.Errorf(`time %.40s: want nanoseconds as an integer, or seconds as a string with nine decimals, "1700000000.123456789"`, text)
	}
	return int64(ns), nil
}

// entry is where the file has a line.
type entry struct {
	at      int64
	offset  int64
	line    uint32
	topic   uint16
	byTime  bool
	matched bool // an image has the stamp or time
}

func (e entry) compare(f entry) int {
	if e.byTime != f.byTime {
		return cmp.Or(cmp.Compare(e.topic, f.topic), map[bool]int{false: -1, true: 1}[e.byTime])
	}
	return cmp.Or(cmp.Compare(e.topic, f.topic), cmp.Compare(e.at, f.at))
}

// index finds the lines of images. It has the places of lines in memory, and reads their boxes again.
type index struct {
	path    string
	file    *os.File
	names   []string // of topics
	numbers map[string]uint16
	entries []entry // sorted
	reader  *bufio.Reader
}

// openIndex reads a file of boxes. The error names the line.
func openIndex(ctx context.Context, path string) (*index, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	x := &index{path: path, file: f, numbers: make(map[string]uint16), reader: bufio.NewReader(nil)}
	if n, err := x.read(ctx); err != nil {
		f.Close() //nolint:errcheck // only read
		return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
	}
	slices.SortStableFunc(x.entries, entry.compare)
	return x, nil
}

func (x *index) close() { x.file.Close() } //nolint:errcheck // only read

// read adds all lines. It returns the number of the last.
func (x *index) read(ctx context.Context) (n int, err error) {
	lines := bufio.NewScanner(x.file)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	offset, next := int64(0), int64(0)
	lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		used, token, err := bufio.ScanLines(data, atEOF)
		next += int64(used)
		return used, token, err
	})
	for n = 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if len(bytes.TrimSpace(lines.Bytes())) > 0 {
			if err := x.add(lines.Bytes(), n, offset); err != nil {
				return n, err
			}
		}
		offset = next
	}
	return n, lines.Err()
}

func (x *index) add(text []byte, n int, offset int64) error {
	l, err := parseLine(text)
	if err != nil {
		return err
	}
	topic, known := x.numbers[l.topic]
	if !known {
		if topic = uint16(len(x.names)); topic == maxTopics {
			return fmt.Errorf("more than %d topics", maxTopics)
		}
		x.names = append(x.names, l.topic)
		x.numbers[l.topic] = topic
	}
	if len(x.entries) == maxLines {
		return fmt.Errorf("more than %d lines; split the recording and its boxes", maxLines)
	}
	x.entries = append(x.entries, entry{at: l.at, offset: offset, line: uint32(n), topic: topic, byTime: l.byTime})
	return nil
}

// find returns the boxes of an image, and marks its lines. found reports whether there are lines, which
// may have no boxes. Times are in nanoseconds.
func (x *index) find(topic string, stamp, recorded int64) (boxes []box, found bool, err error) {
	number, known := x.numbers[topic]
	if !known {
		return nil, false, nil
	}
	for _, want := range []entry{{topic: number, at: stamp}, {topic: number, at: recorded, byTime: true}} {
		i, _ := slices.BinarySearchFunc(x.entries, want, entry.compare)
		for ; i < len(x.entries) && x.entries[i].compare(want) == 0; i++ {
			e := &x.entries[i]
			l, err := x.again(*e)
			if err != nil {
				return nil, false, err
			}
			e.matched, found = true, true
			boxes = append(boxes, l.boxes...)
		}
	}
	return boxes, found, nil
}

// again reads an entry's line again.
func (x *index) again(e entry) (line, error) {
	x.reader.Reset(io.NewSectionReader(x.file, e.offset, maxLine))
	text, err := x.reader.ReadBytes('\n')
	if err == nil || errors.Is(err, io.EOF) {
		var l line
		if l, err = parseLine(text); err == nil && (l.topic != x.names[e.topic] || l.at != e.at || l.byTime != e.byTime) {
			err = errors.New("the file was changed")
		}
		if err == nil {
			return l, nil
		}
	}
	return line{}, fmt.Errorf("%s, line %d, read again: %w", x.path, e.line, err)
}
