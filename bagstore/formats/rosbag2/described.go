package rosbag2

import (
	"context"
	"errors"
	"math"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2/internal/dbpages"
	"rsros/bagstore/place"
	"rsros/program/yaml"
)

// OpenDescribed is OpenFile for callers that read no message. If the file's own metadata counts as many
// messages as its first and last row, it takes counts and times from there, reads no other rows, and
// has one block, which can't be read.
func OpenDescribed(ctx context.Context, f place.File) (*File, error) {
	return openFile(ctx, f, byDescription)
}

// errDescribed is the error of reading a message of OpenDescribed.
var errDescribed = errors.New("the file was opened for its description")

// description is what the metadata of a recording counts.
type description struct {
	Start struct {
		NS int64 `yaml:"nanoseconds_since_epoch"`
	} `yaml:"starting_time"`
	Duration struct {
		NS int64 `yaml:"nanoseconds"`
	} `yaml:"duration"`
	Messages uint64 `yaml:"message_count"`
	Topics   []struct {
		Topic struct {
			Name string `yaml:"name"`
		} `yaml:"topic_metadata"`
		Messages uint64 `yaml:"message_count"`
	} `yaml:"topics_with_message_count"`
}

// describe makes a block of all messages. It returns false unless the description agrees with the first
// and the last row: that of a killed recorder counts none.
func (f *File) describe(objects []dbpages.Object) bool {
	d, ok := f.description(objects)
	if !ok || f.readForm(objects) != nil {
		return false
	}
	info := bagstore.Block{Compression: bagstore.None, ChunkInfo: bagstore.ChunkInfo{Pos: 1}}
	info.Start, info.End = d.times()
	if info.Counts, ok = f.counts(&d); !ok {
		return false
	}
	f.described = true
	if len(info.Counts) > 0 {
		f.blocks = []block{{info: info}}
	}
	return true
}

func (d *description) times() (start, end bagstore.Time) {
	return timeOf(d.Start.NS), timeOf(d.Start.NS + d.Duration.NS)
}

// counts lists the topics that have messages. It returns false unless the description agrees with the first
// and the last row.
func (f *File) counts(d *description) (list []bagstore.ConnCount, agree bool) {
	rows, within := f.edges(d.times())
	if !within {
		return nil, false
	}
	return d.counts(f.topicNames(), rows)
}

func (f *File) topicNames() (names []string) {
	for _, t := range f.topics {
		names = append(names, t.Name)
	}
	return names
}

// counts lists the topics, by index, that have messages. It returns false unless their number is rows.
func (d *description) counts(topics []string, rows uint64) (list []bagstore.ConnCount, agree bool) {
	if rows != d.Messages || d.Duration.NS < 0 {
		return nil, false
	}
	ids := make(map[string]uint32)
	for i, name := range topics {
		ids[name] = uint32(i)
	}
	if len(ids) < len(topics) {
		return nil, false // topics of one name
	}
	left := d.Messages
	for _, t := range d.Topics {
		id, known := ids[t.Topic.Name]
		if !known || t.Messages > min(left, math.MaxUint32) {
			return nil, false
		}
		delete(ids, t.Topic.Name)
		if left -= t.Messages; t.Messages > 0 {
			list = append(list, bagstore.ConnCount{ID: id, Count: uint32(t.Messages)})
		}
	}
	return list, left == 0 && len(ids) == 0
}

// description reads the last row of the metadata table.
func (f *File) description(objects []dbpages.Object) (d description, ok bool) {
	table, at, err := findTable(objects, "metadata", "metadata")
	if err != nil {
		return d, false
	}
	text := ""
	err = f.eachRow(table, func(r *tableRow) error {
		text = r.text(at[0])
		return nil
	})
	return d, err == nil && text != "" && yaml.Decode([]byte(text), &d) == nil
}

// edges counts the rows from the first to the last, if none is missing between. within is whether their
// times are from start to end.
func (f *File) edges(start, end bagstore.Time) (rows uint64, within bool) {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	within = true
	r := f.pages.NewReader()
	for _, edge := range []dbpages.Edge{dbpages.First, dbpages.Last} {
		err := f.pages.AtEdge(f.rows.table.Root, edge, func(c *dbpages.Cell) {
			_, ns, ok := f.message(r, c, false)
			t := timeOf(ns)
			within = within && ok && t >= start && t <= end
			first, last = min(first, c.Row), max(last, c.Row)
		})
		if err != nil {
			return 0, false
		}
	}
	if first > last {
		return 0, within
	}
	return uint64(last-first) + 1, within
}
