package trigger

import (
	"context"
	"math"
	"slices"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/msgs"
)

// frame is a frame's times in nanoseconds.
type frame struct{ stamp, arrived int64 }

// read returns the streams of images of a camera that have frames, the one that stands for it first.
func read(ctx context.Context, f *rsbag.File) (list []*Stream, err error) {
	streams := make(map[camdriver.StreamID]*Stream)
	last := make(map[camdriver.StreamID]uint64)
	c := f.Cursor(rsbag.CursorOptions{FramesOnly: true,
		Streams: func(id camdriver.StreamID) bool { return id.Kind.Video() }})
	defer c.Close()
	for e := range c.Events() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		id := e.Frame.Stream()
		s := streams[id]
		if s == nil {
			s = &Stream{Camera: f.Camera().Name, Stream: id.String(), Clock: e.Frame.Domain.String(),
				id: id, domain: e.Frame.Domain}
			streams[id] = s
			list = append(list, s)
		}
		if before := last[id]; len(s.frames) > 0 && e.Frame.Number > before+1 {
			s.Missing += e.Frame.Number - before - 1
		}
		last[id] = e.Frame.Number
		s.frames = append(s.frames, frame{int64(msgs.FromMillis(e.Frame.Timestamp)), int64(f.Shift()) + int64(e.Time)})
	}
	slices.SortFunc(list, func(a, b *Stream) int { return a.id.Compare(b.id) })
	return list, nil
}

// measure finds the rate, and what the stamps do against the times of recording.
func (s *Stream) measure(start int64) {
	s.Frames = len(s.frames)
	period := medianOf(differences(times(s.frames, arrived)))
	if period > 0 {
		s.Rate = 1e9 / period
	}
	ahead := make([]float64, s.Frames)
	at := make([]float64, s.Frames)
	for i, f := range s.frames {
		ahead[i] = float64(f.stamp - s.frames[0].stamp - (f.arrived - s.frames[0].arrived))
		at[i] = float64(f.arrived-start) / 1e9
	}
	s.findJumps(at, ahead, max(period/2, float64(leastJump)))
	line := fit(at, ahead, slices.Max[[]float64])
	s.Drift, s.Limit = line.slope/1e3, line.limit/1e3
}

const (
	mostWindow = 30                   // frames on each side of a jump
	leastJump  = 5 * time.Millisecond // times of recording vary by less, at their earliest
)

// findJumps finds the steps in how far stamps are ahead of the times of recording, and takes them out. A host that
// stalls records frames late, but not earlier than others, so the earliest of some frames count.
func (s *Stream) findJumps(at, ahead []float64, threshold float64) {
	window := min(mostWindow, len(ahead)/3)
	step := func(k int) float64 {
		return slices.Max(ahead[k:min(k+window, len(ahead))]) - slices.Max(ahead[k-window:k])
	}
	for i := window; window >= leastFrames/3 && i+window <= len(ahead) && len(s.Jumps) < maxJumps; i++ {
		if math.Abs(step(i)) <= threshold {
			continue
		}
		k := i // the jump is where neighbours differ the most
		for j := max(window, i-window+1); j < i+window; j++ {
			if math.Abs(ahead[j]-ahead[j-1]) > math.Abs(ahead[k]-ahead[k-1]) {
				k = j
			}
		}
		by := step(k)
		if math.Abs(by) <= threshold {
			continue
		}
		s.Jumps = append(s.Jumps, Jump{at[k], by / 1e6})
		for j := k; j < len(ahead); j++ {
			ahead[j] -= by
		}
	}
}

// maxJumps bounds the jumps of a stream that are searched for.
const maxJumps = 100

func arrived(f frame) int64 { return f.arrived }
func stamped(f frame) int64 { return f.stamp }
