package rosbag2

import (
	"context"
	"maps"
	"math"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2/internal/dbpages"
)

// Group is the files of a recording, opened by [OpenPart], that are narrowed together. It doesn't close them.
type Group struct {
	files    []*File
	objects  [][]dbpages.Object // by file; nil if it isn't opened for a part
	topics   [][]uint32         // by file and its topic: the topic of the Group
	names    []string           // of the Group's topics
	metadata []byte
}

// NewGroup returns a Group of files with topics of these names. topics has for each file and each of its topics the index
// in names. metadata is the folder's metadata.yaml, if it is there and describes these files.
func NewGroup(files []*File, topics [][]uint32, names []string, metadata []byte) *Group {
	g := &Group{files: files, topics: topics, names: names, metadata: metadata}
	for _, f := range files {
		var objects []dbpages.Object
		if f.part != nil {
			objects = f.part.objects
		}
		g.objects = append(g.objects, objects)
	}
	return g
}

// alone is a Group of one file.
func (f *File) alone() *Group {
	topics := make([]uint32, len(f.topics))
	for i := range topics {
		topics[i] = uint32(i)
	}
	return NewGroup([]*File{f}, [][]uint32{topics}, f.topicNames(), nil)
}

// Narrow lists the messages of a part, those at [bagstore.MinTime] and the first ones after it. It must not be called
// while a file is in use. If an index is damaged, all messages of its file are listed.
func (g *Group) Narrow(ctx context.Context, part bagstore.Part) error {
	lo, hi := max(int64(part.Start), int64(bagstore.MinTime)+1), int64(part.End)
	if part.End == 0 || part.End >= bagstore.MaxTime {
		hi = math.MaxInt64
	}
	partial := true
	times := make(map[int64]bool) // of messages before and after
	for _, f := range g.files {
		if partial = partial && f.part != nil; f.part != nil {
			f.part.start, f.part.settled = lo, nil
			for _, t := range f.part.head {
				times[t] = true
			}
		}
	}
	var settled map[uint32]bool
	if len(part.Last)+len(part.All) > 0 && lo > int64(bagstore.MinTime)+1 {
		found, err := (*search)(nil), errCounts
		if partial {
			found, err = g.earlier(ctx, part, lo)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			lo = int64(bagstore.MinTime) + 1 // all earlier messages
		default:
			settled = found.settled
			maps.Copy(times, found.times)
		}
	}
	spans := []span{timeless(), {lo: lo, hi: hi}}
	for t := range times {
		if t < lo || t > hi {
			spans = append(spans, span{lo: t, hi: t})
		}
	}
	for i, f := range g.files {
		if f.part == nil {
			continue
		}
		f.part.settled = make(map[uint32]bool)
		for topic, of := range g.topics[i] {
			f.part.settled[uint32(topic)] = settled[of]
		}
		if err := f.narrow(slices.Clone(spans)); err != nil {
			return err
		}
	}
	return nil
}
