package rewrite

import (
	"context"
	"errors"
	"time"

	"rsros/bagstore"
)

// SplitOptions are the options of Split. At least one limit must be set.
type SplitOptions struct {
	Options                // without Keep
	Duration time.Duration // of a part
	Size     int64         // of a part in bytes; the last chunk may go past it
	Messages uint64        // in a part
	// RepeatLatched starts each part with the last message so far of each latching connection.
	RepeatLatched bool
}

// Part is one file of a split bag.
type Part struct {
	Path     string        `json:"path"`
	Start    bagstore.Time `json:"start"`
	End      bagstore.Time `json:"end"`
	Messages uint64        `json:"messages"`
	Size     int64         `json:"size"`
	Moved    int           `json:"moved,omitzero"` // messages with bagstore.MovedTimes
}

type splitter struct {
	ctx     context.Context
	o       SplitOptions
	bags    []*bagstore.Bag // the input
	name    func(part int) string
	out     *bagstore.Output
	parts   []Part
	latched map[*bagstore.Connection]retained
	order   []*bagstore.Connection // of latched
}

type retained struct {
	m bagstore.Message
	b bagstore.Buffer
}

// Split copies a bag into parts in time order. name returns the path of a part, from 0. After an
// error, complete parts remain.
func Split(ctx context.Context, b *bagstore.Bag, name func(part int) string, o SplitOptions) ([]Part, error) {
	if o.Duration <= 0 && o.Size <= 0 && o.Messages == 0 {
		return nil, errors.New("split by what: no duration, size or number of messages")
	}
	v := b.View(o.Query())
	s := &splitter{ctx: ctx, o: o, bags: []*bagstore.Bag{b}, name: name, latched: make(map[*bagstore.Connection]retained)}
	defer s.release()
	err := s.run(ctx, v)
	if s.out != nil {
		err = s.end(err)
	}
	return s.parts, err
}

func (s *splitter) run(ctx context.Context, v *bagstore.View) error {
	if err := eachLatched(ctx, s.o.Filter, s.bags, func(m bagstore.Message) error { s.latch(m); return nil }); err != nil {
		return err
	}
	pace := bagstore.Pace{Ctx: ctx, Progress: s.o.Progress, Total: v.Count()}
	for m, err := range messages(v, s.o.Damaged) {
		if err != nil {
			return err
		}
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
		if err := pace.Step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *splitter) full(t bagstore.Time) bool {
	part := &s.parts[len(s.parts)-1]
	return s.o.Duration > 0 && t.Sub(part.Start) >= s.o.Duration ||
		s.o.Size > 0 && s.out.Size() >= s.o.Size ||
		s.o.Messages > 0 && part.Messages >= s.o.Messages
}

func (s *splitter) begin(t bagstore.Time) error {
	path := s.name(len(s.parts))
	out, err := bagstore.CreateOutput(s.ctx, path, s.o.Options.Options)
	if err != nil {
		return err
	}
	s.out = out
	s.parts = append(s.parts, Part{Path: path, Start: t})
	if t > bagstore.MinTime {
		if err := copyStatic(s.out, s.bags, s.o.Options); err != nil {
			return err
		}
	}
	if len(s.parts) == 1 {
		t = s.o.Start // all of latched is from before it
	} else if !s.o.RepeatLatched {
		return nil
	}
	for _, c := range s.order {
		h := s.latched[c]
		if err := s.out.Copy(h.m, t); err != nil {
			return err
		}
	}
	return nil
}

// latch keeps the newest message of a latching connection.
func (s *splitter) latch(m bagstore.Message) {
	if old, ok := s.latched[m.Conn]; ok {
		old.b.Release()
	} else {
		s.order = append(s.order, m.Conn)
	}
	s.latched[m.Conn] = retained{m, m.Retain()}
}

func (s *splitter) copy(m bagstore.Message) error {
	if s.o.RepeatLatched && m.Conn.Latching {
		s.latch(m)
	}
	part := &s.parts[len(s.parts)-1]
	part.End = m.Time
	part.Messages++
	return s.out.Copy(m, m.Time)
}

func (s *splitter) end(err error) error {
	out := s.out
	s.out = nil
	if err := out.Finish(err); err != nil {
		s.parts = s.parts[:len(s.parts)-1]
		return err
	}
	part := &s.parts[len(s.parts)-1]
	part.Size, part.Moved = out.Size(), out.Moved
	return nil
}

func (s *splitter) release() {
	for _, h := range s.latched {
		h.b.Release()
	}
}
