package bagstore

import (
	"context"
	"errors"
	"time"
)

// SplitOptions says where a bag is cut. At least one limit must be set.
type SplitOptions struct {
	Options
	Filter
	Duration time.Duration // of a part
	Size     int64         // of a part in bytes; the last chunk may go past it
	Messages uint64        // in a part
	// RepeatLatched starts each part with the last message so far of each latching
	// connection. The first part starts with what Latched adds in any case.
	RepeatLatched bool
	// Damaged, if it isn't nil, is called for each message that can't be read, which is
	// then left out. Otherwise the first one ends the copying.
	Damaged  func(error)
	Progress Progress // in messages
}

// Part is one file of a split bag.
type Part struct {
	Path     string `json:"path"`
	Start    Time   `json:"start"`
	End      Time   `json:"end"`
	Messages uint64 `json:"messages"`
	Size     int64  `json:"size"`
}

// splitter cuts a stream of messages into files.
type splitter struct {
	o       SplitOptions
	bags    []*Bag // the input
	name    func(part int) string
	out     *output
	parts   []Part
	latched map[*Connection]retained
	order   []*Connection // of latched
}

type retained struct {
	m Message
	b Buffer
}

// Split copies a bag into several, cut in time order. name returns the path of each
// part, counted from 0. After an error, the parts that are complete remain.
func Split(ctx context.Context, in string, name func(part int) string, o SplitOptions) ([]Part, error) {
	b, err := Open(in, OpenOptions{Whole: true})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return SplitBag(ctx, b, name, o)
}

// SplitBag is Split for a bag that is open, which may be a recording of another
// format.
func SplitBag(ctx context.Context, b *Bag, name func(part int) string, o SplitOptions) ([]Part, error) {
	if o.Duration <= 0 && o.Size <= 0 && o.Messages == 0 {
		return nil, errors.New("split by what: no duration, size or number of messages")
	}
	v, err := NewView([]*Bag{b}, o.Query())
	if err != nil {
		return nil, err
	}
	s := &splitter{o: o, bags: []*Bag{b}, name: name, latched: make(map[*Connection]retained)}
	defer s.release()
	err = s.run(ctx, v)
	if s.out != nil {
		err = s.end(err)
	}
	return s.parts, err
}

func (s *splitter) run(ctx context.Context, v *View) error {
	if err := s.o.eachLatched(ctx, s.bags, func(m Message) error { s.latch(m); return nil }); err != nil {
		return err
	}
	p := pace{ctx: ctx, progress: s.o.Progress, total: v.Count()}
	it := v.Iterator()
	defer it.Close()
	for advance(it, s.o.Damaged) {
		m := it.Message()
		if s.out != nil && s.full(m.Time) {
			if err := s.end(nil); err != nil {
				return err
			}
		}
		if s.out == nil {
			if err := s.begin(m.Time); err != nil {
				return err
			}
		}
		if err := s.copy(m); err != nil {
			return err
		}
		if err := p.step(); err != nil {
			return err
		}
	}
	return it.Err()
}

// full tells whether the message at t belongs to the next part.
func (s *splitter) full(t Time) bool {
	part := &s.parts[len(s.parts)-1]
	return s.o.Duration > 0 && t.Sub(part.Start) >= s.o.Duration ||
		s.o.Size > 0 && s.out.Size() >= s.o.Size ||
		s.o.Messages > 0 && part.Messages >= s.o.Messages
}

func (s *splitter) begin(t Time) error {
	path := s.name(len(s.parts))
	if err := checkOutput(path, s.o.Overwrite); err != nil {
		return err
	}
	out, err := newOutput(path, s.o.Options)
	if err != nil {
		return err
	}
	s.out = out
	s.parts = append(s.parts, Part{Path: path, Start: t})
	if t > MinTime {
		if err := copyStatic(s.out, s.bags, RewriteOptions{Filter: s.o.Filter, Damaged: s.o.Damaged}); err != nil {
			return err
		}
	}
	if len(s.parts) == 1 {
		t = s.o.Start // so far they are those from before it
	} else if !s.o.RepeatLatched {
		return nil
	}
	for _, c := range s.order {
		h := s.latched[c]
		if err := s.out.copy(h.m, t); err != nil {
			return err
		}
	}
	return nil
}

// latch keeps the newest message of a latching connection.
func (s *splitter) latch(m Message) {
	if old, ok := s.latched[m.Conn]; ok {
		old.b.Release()
	} else {
		s.order = append(s.order, m.Conn)
	}
	s.latched[m.Conn] = retained{m, m.Retain()}
}

func (s *splitter) copy(m Message) error {
	if s.o.RepeatLatched && m.Conn.Latching {
		s.latch(m)
	}
	part := &s.parts[len(s.parts)-1]
	part.End = m.Time
	part.Messages++
	return s.out.copy(m, m.Time)
}

// end finishes a part; with an error it is removed.
func (s *splitter) end(err error) error {
	out := s.out
	s.out = nil
	if err := out.finish(err); err != nil {
		s.parts = s.parts[:len(s.parts)-1]
		return err
	}
	s.parts[len(s.parts)-1].Size = out.Size()
	return nil
}

func (s *splitter) release() {
	for _, h := range s.latched {
		h.b.Release()
	}
}
