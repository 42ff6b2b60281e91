package rsmarks

import (
	"context"
	"fmt"
	"math"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

const (
	// maxProbes bounds the frames of a stream that are read.
	maxProbes = 256
	// maxSamples bounds the instants that are kept of a stream.
	maxSamples = 4096
)

// instant is a time at which a stream has frames.
type instant struct {
	at     time.Duration
	rank   uint64 // how many frames of the stream come before
	number uint64 // of its first frame, once it was read
}

// markSpan is a part of a stream between two instants whose numbers are known.
type markSpan struct {
	from, to instant
	inside   []instant // some instants between, or all
	all      bool
}

// missing returns how many frames are missing. It is negative if the camera's counter restarted.
func (s markSpan) missing() int64 {
	return int64(s.to.number-s.from.number) - int64(s.to.rank-s.from.rank)
}

// markSearch searches a stream for losses. It halves parts in which the frames' numbers advance by more
// than the number of frames in the index.
type markSearch struct {
	f      *rsbag.File
	id     camdriver.StreamID
	cursor *rsbag.Cursor
	probes int // frames that were read
	period time.Duration
	found  []Mark
}

// losses finds the losses of a stream, with exact positions if there are few.
func losses(ctx context.Context, f *rsbag.File, id camdriver.StreamID) []Mark {
	s := markSearch{f: f, id: id}
	whole, ok := s.sample(ctx)
	if !ok {
		return nil
	}
	s.cursor = f.Cursor(rsbag.CursorOptions{FramesOnly: true, Streams: rsbag.Only(id)})
	defer s.cursor.Close()
	if !s.read(&whole.from) || !s.read(&whole.to) || whole.from.number == whole.to.number {
		return nil // damaged, or without numbers
	}
	s.period = (whole.to.at - whole.from.at) / time.Duration(whole.to.rank-whole.from.rank)
	for parts := []markSpan{whole}; len(parts) > 0 && ctx.Err() == nil; parts = parts[1:] {
		if parts[0].missing() == 0 {
			continue
		}
		if a, b, ok := s.halve(ctx, parts[0]); ok {
			parts = append(parts, a, b)
		} else if parts[0].missing() > 0 {
			s.mark(parts[0])
		}
	}
	return s.found
}

// sample returns the stream with evenly spaced instants; ok is false if there are fewer than two.
func (s *markSearch) sample(ctx context.Context) (whole markSpan, ok bool) {
	list, last, every := s.instants(ctx, instant{}, math.MaxInt64, maxSamples)
	if len(list) == 0 || list[0] == last || ctx.Err() != nil {
		return whole, false
	}
	whole = markSpan{from: list[0], to: last, inside: list[1:], all: every == 1}
	if n := len(whole.inside); n > 0 && whole.inside[n-1] == last {
		whole.inside = whole.inside[:n-1]
	}
	return whole, true
}

// instants returns each every-th instant of the stream from one on and before an end, fewer than most, and the last
// one.
func (s *markSearch) instants(ctx context.Context, from instant, end time.Duration,
	most int) (list []instant, last instant, every int) {
	every = 1
	n, rank := 0, from.rank
	for at := range s.f.Times(s.id, from.at) {
		// Each frame may be in a chunk of its own, which is slow on a slow disk.
		if at >= end || rank%64 == 0 && ctx.Err() != nil {
			break
		}
		if n == 0 || at != last.at {
			last = instant{at: at, rank: rank}
			if n%every == 0 {
				list = append(list, last)
			}
			n++
			if len(list) == most {
				list, every = thin(list), 2*every
			}
		}
		rank++
	}
	return list, last, every
}

func thin(list []instant) []instant {
	for i := range len(list) / 2 {
		list[i] = list[2*i]
	}
	return list[:len(list)/2]
}

func (s *markSearch) read(p *instant) bool {
	s.probes++
	s.cursor.Seek(p.at)
	e, ok := s.cursor.Next()
	if !ok || e.Time != p.at {
		return false
	}
	p.number = e.Frame.Number
	return true
}

// halve splits a part in the middle; ok is false if there is no instant or maxProbes is reached.
func (s *markSearch) halve(ctx context.Context, p markSpan) (a, b markSpan, ok bool) {
	for s.probes < maxProbes {
		if len(p.inside) == 0 && !p.all {
			list, _, _ := s.instants(ctx, p.from, p.to.at, math.MaxInt)
			p.inside, p.all = list[min(1, len(list)):], ctx.Err() == nil
		}
		n := len(p.inside)
		if n == 0 {
			break
		}
		middle := p.inside[n/2]
		before, after := p.inside[:n/2], p.inside[n/2+1:]
		if s.read(&middle) {
			return markSpan{p.from, middle, before, p.all}, markSpan{middle, p.to, after, p.all}, true
		}
		p.inside = append(append([]instant(nil), before...), after...) // that frame is damaged
	}
	return markSpan{}, markSpan{}, false
}

func (s *markSearch) mark(p markSpan) {
	n := p.missing()
	m := Mark{Time: p.to.at, Kind: Loss, Stream: s.id, Text: "1 frame missing"}
	if n > 1 {
		m.Text = fmt.Sprintf("%d frames missing", n)
	}
	length := p.to.at - p.from.at
	switch {
	case !p.all || len(p.inside) > 0: // it isn't known where
		m.Time = p.from.at
		m.Text += fmt.Sprintf(" in the next %v", length.Round(time.Millisecond))
	case length < time.Duration(n+1)*s.period/2: // a recorder leaves out the time of a pause
		m.Text += ", as after a pause of the recording"
	}
	s.found = append(s.found, m)
}
