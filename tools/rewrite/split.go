package rewrite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/rosbag"
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
	Clamped  int           `json:"moved,omitzero"` // messages with bagstore.ClampedTimes
	Whole    int           `json:"whole"`          // chunks that stayed as they were stored
}

// PartNames returns the names of a bag's parts: a prefix, by default the bag's name, and a number. The error is that the
// bag has a name that a part may get.
func PartNames(path, prefix string) (name func(part int) string, err error) {
	own := strings.TrimSuffix(path, filepath.Ext(path))
	if !place.IsAddress(path) {
		own = strings.TrimSuffix(filepath.Clean(path), filepath.Ext(path)) // path may be a folder
	}
	to, err := PlaceAt(prefix, false, false)
	if err != nil {
		return nil, err
	}
	prefix = to.Name(own)
	name = func(n int) string { return fmt.Sprintf("%s_%03d.bag", prefix, n) }
	names, start := []string{path}, prefix
	if !place.IsAddress(prefix) {
		names = nil
		entries, err := os.ReadDir(filepath.Dir(prefix))
		if err != nil {
			return name, nil // there are no files
		}
		for _, e := range entries {
			names = append(names, filepath.Join(filepath.Dir(prefix), e.Name()))
		}
		start = filepath.Clean(prefix)
	}
	for _, part := range names {
		number, ok := strings.CutPrefix(part, start+"_")
		if ok && strings.Trim(strings.TrimSuffix(number, ".bag"), "0123456789") == "" && SameFile(path, part) {
			return nil, fmt.Errorf("%s is the input", part)
		}
	}
	return name, nil
}

type splitter struct {
	ctx     context.Context
	o       SplitOptions
	bags    []*bagstore.Recording // the input
	view    *bagstore.View
	name    func(part int) string
	out     *rosbag.Output
	parts   []Part
	past    bagstore.Time // the last part doesn't end before it, as messages up to then may be in it
	latched map[*bagstore.Connection]retained
	order   []*bagstore.Connection // of latched
}

type retained struct {
	m bagstore.Message
	b *bagstore.Buffer
}

// Split copies a bag into parts in time order. name returns the path of a part, from 0. After an
// error, complete parts remain.
func Split(ctx context.Context, b *bagstore.Recording, name func(part int) string, o SplitOptions) ([]Part, error) {
	if o.Duration <= 0 && o.Size <= 0 && o.Messages == 0 {
		return nil, errors.New("split needs a duration, a size or a number of messages")
	}
	s := &splitter{ctx: ctx, o: o, bags: []*bagstore.Recording{b}, view: b.View(o.Query()), name: name, latched: make(map[*bagstore.Connection]retained)}
	defer s.release()
	err := s.run()
	if s.out != nil {
		err = s.end(err)
	}
	return s.parts, err
}

func (s *splitter) run() error {
	if err := eachLatched(s.ctx, s.o.Filter, s.bags, func(m bagstore.Message) error { s.latch(m); return nil }); err != nil {
		return err
	}
	pace := bagstore.Pace{Ctx: s.ctx, Progress: s.o.Progress, Total: s.view.Count()}
	for p, err := range s.o.pieces(s.view, s.takes) {
		if err != nil {
			return err
		}
		if p.Whole != nil {
			if err := errors.Join(s.copyWhole(p.Whole), pace.Steps(p.Whole.Messages())); err != nil {
				return err
			}
			continue
		}
		m := p.Message
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
		s.o.Size > 0 && s.out.Size() >= s.o.Size && t > s.past ||
		s.o.Messages > 0 && part.Messages >= s.o.Messages
}

// takes reports whether all of a chunk goes into the part, and everything that is earlier than its end.
func (s *splitter) takes(c *bagstore.WholeChunk) bool {
	if s.out == nil || s.full(c.Start) || s.o.Size > 0 && s.out.Size() >= s.o.Size || !s.out.Takes(c) {
		return false
	}
	part := &s.parts[len(s.parts)-1]
	if s.o.Duration > 0 && c.End.Sub(part.Start) >= s.o.Duration || s.o.Messages > 0 && !c.Fits(s.o.Messages-part.Messages) {
		return false
	}
	latches := func(c *bagstore.Connection) bool { return c.Latching }
	return !s.o.RepeatLatched || !slices.ContainsFunc(c.Connections(), latches)
}

func (s *splitter) copyWhole(c *bagstore.WholeChunk) error {
	part := &s.parts[len(s.parts)-1]
	s.past = max(s.past, c.End)
	part.End = max(part.End, c.End)
	part.Messages += c.Messages()
	return s.out.CopyWhole(c)
}

func (s *splitter) begin(t bagstore.Time) error {
	path := s.name(len(s.parts))
	out, err := rosbag.CreateOutput(s.ctx, path, s.o.Options.Options)
	if err != nil {
		return err
	}
	s.out = out
	s.out.Keep(s.view.Connections())
	s.parts = append(s.parts, Part{Path: path, Start: t})
	if t > bagstore.MinTime {
		err := s.o.eachStatic(s.bags, func(m bagstore.Message, t bagstore.Time) error {
			_, err := s.o.copy(s.out, m, t)
			return err
		})
		if err != nil {
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
	part.End = max(part.End, m.Time)
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
	part.Size, part.Clamped, part.Whole = out.Size(), out.Clamped, out.Stats().Whole
	return nil
}

func (s *splitter) release() {
	for _, h := range s.latched {
		h.b.Release()
	}
}
