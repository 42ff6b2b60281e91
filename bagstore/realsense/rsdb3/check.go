package rsdb3

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore"
	"rsros/bagstore/db3"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rslayout"
	"rsros/bagstore/recording"
)

// Broken is a rule of librealsense's reader that a file breaks.
type Broken struct {
	Rule  int    `json:"rule"`
	Text  string `json:"text"`  // of the first place
	Count uint64 `json:"count"` // of places
}

// Check reads a RealSense .db3 and lists the rules that it breaks, by number
// (docs/internals/format-realsense.md). ok is false if the file isn't a readable RealSense .db3.
func Check(ctx context.Context, path string) (list []Broken, ok bool, err error) {
	if format, err := recording.FormatOf(ctx, path); err != nil || format != recording.SQLite {
		return nil, false, nil // db3.Open would search all of a large bag for pages
	}
	f, err := db3.Open(path)
	if err != nil {
		return nil, false, nil
	}
	defer f.Close() //nolint:errcheck // only read
	bag, err := recording.Open(path, bagstore.OpenOptions{Context: ctx})
	if err != nil {
		return nil, false, err
	}
	defer bag.Close() //nolint:errcheck // only read
	c := &checker{broken: make(map[int]*Broken), topics: make(map[uint32]topic), sensors: make(map[int]*sensorRows)}
	for _, conn := range bag.Connections() {
		t := parseTopic(conn.Topic)
		c.topics[conn.ID] = t
		ok = ok || t.Kind == rslayout.TopicStreamInfo && conn.Type == "std_msgs/String"
	}
	if !ok {
		return nil, false, nil
	}
	if filepath.Ext(path) != ".db3" && path != place.Stream {
		c.breaks(1, "the name of %s doesn't end in .db3", filepath.Base(path))
	}
	c.names(bag.Connections())
	if err := c.rows(ctx, bag); err != nil {
		return nil, true, err
	}
	c.ends()
	if err := c.blobs(ctx, f); err != nil {
		return nil, true, err
	}
	for _, b := range c.broken {
		list = append(list, *b)
	}
	slices.SortFunc(list, func(a, b Broken) int { return cmp.Compare(a.Rule, b.Rule) })
	return list, true, nil
}

// checker visits a file's rows in the order in which the SDK reads them.
type checker struct {
	broken map[int]*Broken
	topics map[uint32]topic // by connection
	rank   int              // rows so far

	sensors map[int]*sensorRows
	static  topic // the last row of the description
	hasData bool  // the last row was data without its metadata
	data    topic
	dataAt  bagstore.Time
}

type sensorRows struct {
	info    bool
	options map[string]bool
	last    int  // number of the last option
	ended   bool // another topic followed its options
}

func (c *checker) breaks(rule int, format string, args ...any) {
	b := c.broken[rule]
	if b == nil {
		b = &Broken{Rule: rule, Text: fmt.Sprintf(format, args...)}
		c.broken[rule] = b
	}
	b.Count++
}

// sensor returns a sensor's state. Numbers aren't trusted.
func (c *checker) sensor(n int) *sensorRows {
	s := c.sensors[n]
	if s == nil {
		s = &sensorRows{options: make(map[string]bool)}
		c.sensors[n] = s
	}
	return s
}

func (c *checker) names(conns []*bagstore.Connection) {
	for _, conn := range conns {
		t := c.topics[conn.ID]
		if slices.Contains([]byte(conn.Topic), '\'') {
			c.breaks(11, "topic %q has a quote", conn.Topic)
		}
		if t.device > 0 {
			c.breaks(10, "%s is of a second device", conn.Topic)
		}
		if t.Kind == rslayout.TopicSensorInfo {
			c.sensor(t.Sensor).info = true
		}
	}
	n := 0
	for _, number := range slices.Sorted(maps.Keys(c.sensors)) {
		if number != n {
			c.breaks(10, "sensor %d follows sensor %d", number, n-1)
		}
		n = number + 1
	}
}

func (c *checker) ends() {
	for _, n := range slices.Sorted(maps.Keys(c.sensors)) {
		if s := c.sensors[n]; s.info && len(s.options) == 0 {
			c.breaks(5, "sensor %d has no option", n)
		}
	}
	c.afterStatic(topic{})
	if c.hasData {
		c.breaks(8, "%s: the last frame has no metadata", c.data.name)
	}
}

// maxFrame is the largest message that the SDK uncompresses.
const maxFrame = 256 << 20

// blobs checks stored messages: the SDK's limits of zstd frames, and the first bytes of CDR.
func (c *checker) blobs(ctx context.Context, f *db3.File) error {
	topics := f.Topics()
	var buf []byte
	alloc := func(n int) []byte {
		buf = slices.Grow(buf[:0], n)
		return buf
	}
	for i := range f.Blocks() {
		entries, err := f.Entries(nil, i)
		if err != nil {
			c.breaks(14, "%v", err)
			continue
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			data, err := f.Stored(i, e, alloc)
			if err != nil {
				continue // reported by rows
			}
			c.blob(topics[e.Conn].Name, data)
		}
	}
	return nil
}

func (c *checker) blob(name string, data []byte) {
	if db3.IsZstd(data) {
		var head zstd.Header
		switch err := head.Decode(data); {
		case err != nil:
			c.breaks(13, "%s: %v", name, err)
		case !head.HasFCS:
			c.breaks(13, "%s: a zstd frame doesn't say its size", name)
		case head.FrameContentSize > maxFrame:
			c.breaks(13, "%s: a zstd frame of %d bytes", name, head.FrameContentSize)
		}
		return
	}
	if len(data) < 4 || data[0] != 0 || data[1] > 1 {
		c.breaks(14, "%s: a message of %d bytes has no encapsulation of plain CDR", name, len(data))
	}
}

// topic is a topic as the SDK's reader takes it.
type topic struct {
	rslayout.Topic
	name   string
	device int    // -1: of none
	prefix string // of a stream
}

// The frames of streams that are in no .bag.
var newFrames = map[string]rslayout.TopicKind{
	"object_detection/data": rslayout.TopicImage, "labeled_points/data": rslayout.TopicImage,
	"object_detection/metadata": rslayout.TopicMetadata, "labeled_points/metadata": rslayout.TopicMetadata,
}

func parseTopic(name string) topic {
	device, first := rslayout.FirstTopic(name)
	t := topic{Topic: rslayout.ParseTopic(first), name: name, device: device}
	parts := strings.SplitAfterN(name, "/", 5) // "", device, sensor, stream, and what it is
	if len(parts) == 5 && !t.isOption() && t.Kind != rslayout.TopicNotification {
		t.prefix = strings.TrimSuffix(name, parts[4])
		t.Kind = cmp.Or(t.Kind, newFrames[parts[4]])
		switch what, _, more := strings.Cut(parts[4], "/"); {
		case what == "pose", what == "occupancy_map", what == "info" && more:
			t.Kind = rslayout.TopicUnknown // the reader ignores them
		}
	}
	switch {
	case t.isOption():
		t.Name = strings.ReplaceAll(t.Name, "_", " ")
	case t.Kind == rslayout.TopicFileVersion, t.Kind == rslayout.TopicDeviceInfo:
		t.Sensor = -1
	}
	return t
}

func (t topic) isOption() bool {
	return t.Kind == rslayout.TopicOptionValue || t.Kind == rslayout.TopicOptionText
}

// isData reports whether a topic has frames that metadata follow.
func (t topic) isData() bool {
	return t.Kind == rslayout.TopicImage || t.Kind == rslayout.TopicCompressed || t.Kind == rslayout.TopicImu
}

// isCalibration reports whether a topic has a stream's calibration.
func (t topic) isCalibration() bool {
	return t.Kind == rslayout.TopicCameraInfo || t.Kind == rslayout.TopicImuIntrinsic
}
