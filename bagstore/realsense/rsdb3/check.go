package rsdb3

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/recording"
	"rsros/bagstore/formats/rosbag2"
)

// Broken is a rule of librealsense's reader that a file breaks.
type Broken struct {
	Rule  int    `json:"rule"`
	Text  string `json:"text"`  // of the first place
	Count uint64 `json:"count"` // of places
}

// Check reads a RealSense .db3 and lists the rules that it breaks, by number
// (docs/format-realsense.md). ok is false if the file isn't a readable RealSense .db3.
func Check(ctx context.Context, path string) (list []Broken, ok bool, err error) {
	if format, err := recording.FormatOf(path); err != nil || format != recording.SQLite {
		return nil, false, nil // rosbag2.Open would search all of a large bag for pages
	}
	f, err := rosbag2.Open(path)
	if err != nil {
		return nil, false, nil
	}
	defer f.Close() //nolint:errcheck // only read
	bag, err := recording.Open(path, bagstore.OpenOptions{})
	if err != nil {
		return nil, false, err
	}
	defer bag.Close() //nolint:errcheck // only read
	c := &checker{broken: make(map[int]*Broken), topics: make(map[uint32]topic), sensors: make(map[int]*sensorRows)}
	for _, conn := range bag.Connections() {
		t := parseTopic(conn.Topic)
		c.topics[conn.ID] = t
		ok = ok || t.kind == streamInfo && conn.Type == "std_msgs/String"
	}
	if !ok {
		return nil, false, nil
	}
	if filepath.Ext(path) != ".db3" {
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
	infos   map[string]bool // prefixes of streams
}

type sensorRows struct {
	info     bool
	options  map[string]bool
	last     int  // number of the last option
	ended    bool // another topic followed its options
	filtered bool
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
		if t.sensor >= 0 && t.kind == sensorInfo {
			c.sensor(t.sensor).info = true
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
