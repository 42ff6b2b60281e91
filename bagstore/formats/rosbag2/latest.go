package rosbag2

import (
	"context"
	"errors"
	"math"

	"rsros/bagstore"
	"rsros/program/yaml"
)

const (
	latestRows   = 16      // about how many rows the first step reads at each end
	latestGrowth = 4       // of the steps
	earlierRows  = 1 << 12 // at most, of all topics
)

var (
	errCounts  = errors.New("there are no counts of topics, or they aren't those of the rows")
	errEarlier = errors.New("more earlier messages than are listed one by one")
)

// wantedTopic is a topic with messages before a part that belong to it: the last one, or all.
type wantedTopic struct {
	count, seen uint64 // messages in the recording, and those read
	all         bool
	early       int64 // time of the last message from the first row on; 0: none
}

// search looks for earlier messages of topics. It reads rows from the first one on and from the part back: a topic has
// no other message when as many have been read as the recording's metadata counts.
type search struct {
	*Group
	left    map[uint32]*wantedTopic
	times   map[int64]bool  // of messages that were found
	settled map[uint32]bool // topics with no message from the part on
}

// earlier lists the times of messages before a part. If nothing counts them, or there are more, the error is
// errCounts.
func (g *Group) earlier(ctx context.Context, part bagstore.Part, before int64) (*search, error) {
	s := &search{Group: g, left: make(map[uint32]*wantedTopic), times: make(map[int64]bool), settled: make(map[uint32]bool)}
	rows, end, ok := s.seek(part)
	if !ok {
		return nil, errCounts
	}
	if before > int64(end)+1 {
		late := false
		for _, f := range g.files {
			err := f.pages.Between(f.part.index, int64(end)+1, before-1, true, func(int64, int64) bool { late = true; return false })
			if err != nil {
				return nil, err
			}
		}
		if late {
			return nil, errCounts
		}
		before = int64(end) + 1
	}
	if err := s.read(ctx, timeless(), nil); err != nil {
		return nil, err
	}
	head, tail := before, before // rows between them haven't been read
	for _, f := range g.files {
		for _, t := range f.part.head {
			head = min(head, t)
		}
	}
	step := (tail-head)/int64(rows/latestRows+1) + 1
	s.settle(nil)
	for ; len(s.left) > 0 && head < tail; step = latestGrowth * min(step, math.MaxInt64/latestGrowth) {
		from := head
		head += min(step, tail-head)
		if err := s.read(ctx, span{lo: from, hi: head - 1}, nil); err != nil {
			return nil, err
		}
		if s.settle(nil); len(s.left) == 0 || head == tail {
			break
		}
		late, to := make(map[uint32]int64), tail
		tail -= min(step, tail-head)
		if err := s.read(ctx, span{lo: tail, hi: to - 1}, late); err != nil {
			return nil, err
		}
		s.settle(late)
	}
	for _, t := range s.left { // all rows have been read
		s.add(t.early)
	}
	return s, nil
}

// seek sets left by the metadata, and returns the number of all messages and the time of the last one.
func (s *search) seek(part bagstore.Part) (rows uint64, end bagstore.Time, ok bool) {
	list, end, ok := s.count()
	for _, topic := range part.Last {
		s.left[topic] = &wantedTopic{}
	}
	for _, topic := range part.All {
		s.left[topic] = &wantedTopic{all: true}
	}
	for _, c := range list {
		rows += uint64(c.Count)
		if t := s.left[c.ID]; t != nil {
			t.count = uint64(c.Count)
		}
	}
	return rows, end, ok
}

// read reads the rows of a span. late, which is nil from the first row on, is set to the time of the last message of
// each topic.
func (s *search) read(ctx context.Context, rows span, late map[uint32]int64) error {
	for i, f := range s.files {
		if err := f.listPart(rows); err != nil {
			return err
		}
		for n := range f.blocks {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			list, err := f.partEntries(n)
			if err != nil {
				return err
			}
			for _, e := range list {
				if err := s.visit(s.topics[i][e.Conn], int64(e.Time), late); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *search) visit(topic uint32, at int64, late map[uint32]int64) error {
	t := s.left[topic]
	switch {
	case t == nil:
		return nil
	case late == nil:
		t.early = max(t.early, at)
	default:
		late[topic] = max(late[topic], at)
	}
	t.seen++
	if t.all {
		s.add(at)
	}
	if t.seen > t.count {
		return errCounts
	}
	if len(s.times) > earlierRows {
		return errEarlier
	}
	return nil
}

// settle removes topics from left whose messages have all been seen, and those with a last one in late.
func (s *search) settle(late map[uint32]int64) {
	for topic, t := range s.left {
		at, found := late[topic]
		switch {
		case t.seen == t.count:
			at = max(at, t.early)
			s.settled[topic] = true
		case t.all || !found:
			continue
		}
		delete(s.left, topic)
		s.add(at)
	}
}

// add adds the time of a message. Those without a time of their own are in each part.
func (s *search) add(at int64) {
	if at > int64(bagstore.MinTime) {
		s.times[at] = true
	}
}

// Counts lists how many messages topics have by the file's own metadata; false if it doesn't agree with the first and
// the last row.
func (f *File) Counts() ([]bagstore.ConnCount, bool) { return f.alone().Counts() }

// Counts is [File.Counts] of all files together, or lists the counts of the folder's metadata.
func (g *Group) Counts() ([]bagstore.ConnCount, bool) {
	list, _, ok := g.count()
	return list, ok
}

// count also returns the time of the last message.
func (g *Group) count() (list []bagstore.ConnCount, end bagstore.Time, ok bool) {
	if list, end, ok = g.ownCounts(); ok || len(g.metadata) == 0 {
		return list, end, ok
	}
	var folder struct {
		Info description `yaml:"rosbag2_bagfile_information"`
	}
	if yaml.Decode(g.metadata, &folder) != nil {
		return nil, 0, false
	}
	start, end := folder.Info.times()
	rows := uint64(0)
	for _, f := range g.files {
		n, within := f.edges(start, end)
		if !within {
			return nil, 0, false
		}
		rows += n
	}
	list, ok = folder.Info.counts(g.names, rows)
	return list, end, ok
}

// ownCounts adds up the counts in the files, also in those whose index was found damaged.
func (g *Group) ownCounts() (list []bagstore.ConnCount, end bagstore.Time, ok bool) {
	sums := make([]uint64, len(g.names))
	for i, f := range g.files {
		d, ok := f.description(g.objects[i])
		if !ok {
			return nil, 0, false
		}
		counts, ok := f.counts(&d)
		if !ok {
			return nil, 0, false
		}
		for _, c := range counts {
			sums[g.topics[i][c.ID]] += uint64(c.Count)
		}
		_, last := d.times()
		end = max(end, last)
	}
	for topic, n := range sums {
		if n > math.MaxUint32 {
			return nil, 0, false
		}
		if n > 0 {
			list = append(list, bagstore.ConnCount{ID: uint32(topic), Count: uint32(n)})
		}
	}
	return list, end, true
}
