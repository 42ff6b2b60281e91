package rosbag2

import (
	"context"
	"errors"
	"math"

	"rsros/bagstore"
	"rsros/program/yaml"
)

const (
	latestRows   = 16 // about how many rows the first step reads at each end
	latestGrowth = 4  // of the steps
)

var errCounts = errors.New("there are no counts of topics, or they aren't those of the rows")

// Describe sets the metadata.yaml of a folder with no other file. It counts messages for Narrow if the file's
// own metadata doesn't.
func (f *File) Describe(metadata []byte) {
	if f.part != nil {
		f.part.beside = metadata
	}
}

// latest lists the times of the last messages of topics before a time. It reads rows from the first one on
// and from that time back: a topic has no later message when as many have been read as the recording's
// metadata counts. If nothing counts them, or there are more, the error is errCounts.
func (f *File) latest(ctx context.Context, topics []uint32, before int64) ([]span, error) {
	s := search{File: f, left: make(map[uint32]uint64), seen: make(map[uint32]uint64), early: make(map[uint32]int64), times: make(map[int64]bool)}
	rows, ok := s.count(topics)
	if !ok {
		return nil, errCounts
	}
	if err := s.read(ctx, timeless(), s.early); err != nil {
		return nil, err
	}
	head, tail := min(f.part.first, before), before // rows between them haven't been read
	step := (tail-head)/int64(rows/latestRows+1) + 1
	err := s.settle(nil)
	for ; err == nil && len(s.left) > 0 && head < tail; step = latestGrowth * min(step, math.MaxInt64/latestGrowth) {
		from := head
		head += min(step, tail-head)
		err = s.read(ctx, span{lo: from, hi: head - 1}, s.early)
		if err == nil {
			err = s.settle(nil)
		}
		if err == nil && len(s.left) > 0 && head < tail {
			late, to := make(map[uint32]int64), tail
			tail -= min(step, tail-head)
			if err = s.read(ctx, span{lo: tail, hi: to - 1}, late); err == nil {
				err = s.settle(late)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	for topic := range s.left { // all rows have been read
		s.last(s.early[topic])
	}
	var list []span
	for t := range s.times {
		list = append(list, span{lo: t, hi: t})
	}
	return list, nil
}

// search looks for the last messages of topics.
type search struct {
	*File
	left  map[uint32]uint64 // topics whose last message isn't known, and the number of their messages
	seen  map[uint32]uint64 // messages by topic
	early map[uint32]int64  // the last ones from the first row on
	times map[int64]bool    // of messages that were found
}

// count sets left by the metadata, and returns the number of all messages.
func (s *search) count(topics []uint32) (rows uint64, ok bool) {
	d, ok := s.description(s.part.objects)
	var list []bagstore.ConnCount
	if ok {
		list, ok = s.counts(&d)
	}
	if !ok {
		var folder struct {
			Info description `yaml:"rosbag2_bagfile_information"`
		}
		if len(s.part.beside) == 0 || yaml.Decode(s.part.beside, &folder) != nil {
			return 0, false
		}
		d = folder.Info
		if list, ok = s.counts(&d); !ok {
			return 0, false
		}
	}
	for _, topic := range topics {
		s.left[topic] = 0
	}
	for _, c := range list {
		if _, wanted := s.left[c.ID]; wanted {
			s.left[c.ID] = uint64(c.Count)
		}
	}
	return d.Messages, true
}

// read reads the rows of a span. last is set to the time of the last message of each topic.
func (s *search) read(ctx context.Context, rows span, last map[uint32]int64) error {
	if err := s.listPart(rows); err != nil {
		return err
	}
	for n := range s.blocks {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		list, err := s.partEntries(n)
		if err != nil {
			return err
		}
		for _, e := range list {
			s.seen[e.Conn]++
			last[e.Conn] = max(last[e.Conn], int64(e.Time))
		}
	}
	return nil
}

// settle removes topics from left: those with messages in late, and those whose messages have all been seen.
func (s *search) settle(late map[uint32]int64) error {
	for topic, count := range s.left {
		at, found := late[topic]
		switch {
		case s.seen[topic] > count:
			return errCounts
		case !found && s.seen[topic] < count:
			continue
		case !found:
			at = s.early[topic]
			s.part.settled[topic] = true
		}
		delete(s.left, topic)
		s.last(at)
	}
	return nil
}

// last adds the time of a topic's last message. Messages without a time of their own are in each part.
func (s *search) last(at int64) {
	if at > int64(bagstore.MinTime) {
		s.times[at] = true
	}
}
