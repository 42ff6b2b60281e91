package imunoise

import (
	"math"
	"slices"
	"time"
)

// grid assigns samples to slots by their stamps, which may jitter, and so finds missing samples.
type grid struct {
	put        func(sample) // into the open slot
	next       func()       // closes the open slot, and opens the next
	gap        func()       // begins anew
	first      []sample     // until the interval is known
	interval   float64      // ns, of a slot
	begin      int64        // first stamp since the last gap
	last       int64        // stamp
	at         float64      // ns from begin to the open slot
	stretch    uint64       // slots since the last gap
	slots      uint64       // before it
	length     float64      // s, before the last gap
	samples    uint64
	missing    uint64
	gaps       uint64
	outOfOrder uint64 // samples that weren't taken
}

type sample struct {
	stamp int64
	value [3]float64
}

const (
	// learned is the number of samples from which the interval is taken.
	learned = 1000
	// maxGap is the longest gap, in slots, that clusters may have in them.
	maxGap = 10_000
)

// add adds a sample. It leaves out samples that aren't after the previous one.
func (g *grid) add(s sample) {
	if g.interval == 0 {
		if g.first = append(g.first, s); len(g.first) == learned {
			g.learn()
		}
		return
	}
	g.place(s)
}

// learn computes the interval from the first samples, and places them.
func (g *grid) learn() {
	var steps []float64
	for i := 1; i < len(g.first); i++ {
		if d := g.first[i].stamp - g.first[i-1].stamp; d > 0 {
			steps = append(steps, float64(d))
		}
	}
	if len(steps) == 0 {
		g.first = g.first[:0]
		return
	}
	slices.Sort(steps)
	whole, _ := slices.BinarySearch(steps, 1.5*steps[len(steps)/2]) // the others have lost samples in between
	sum := 0.0
	for _, d := range steps[:whole] {
		sum += d
	}
	g.interval = sum / float64(whole)
	for _, s := range g.first {
		g.place(s)
	}
	g.first = nil
}

func (g *grid) place(s sample) {
	switch since := s.stamp - g.last; {
	case g.samples == 0:
		g.begin = s.stamp
	case float64(since) > maxGap*g.interval || since < -int64(time.Second):
		g.end()
		g.gaps++
		g.gap()
		g.begin, g.at = s.stamp, 0
	case since <= 0:
		g.outOfOrder++
		return
	default:
		g.advance(float64(s.stamp - g.begin))
	}
	g.last = s.stamp
	g.samples++
	g.put(s)
}

// advance opens the slot that is nearest to a time.
func (g *grid) advance(to float64) {
	n := min(max(0, math.Round((to-g.at)/g.interval)), maxGap)
	const follow = 0.02 // of a deviation, since clocks drift
	g.at += n * g.interval
	g.at += follow * (to - g.at)
	for range int(n) {
		g.next()
	}
	g.missing += uint64(max(0, n-1))
	g.stretch += uint64(n)
}

// end ends a stretch without gaps.
func (g *grid) end() {
	g.next()
	g.length += float64(g.last-g.begin) / 1e9
	g.slots += g.stretch
	g.stretch = 0
}

// finish is called after the last sample.
func (g *grid) finish() {
	if g.interval == 0 {
		g.learn()
	}
	g.end()
}

// step returns the mean length of a slot in seconds; 0 if there are less than two samples.
func (g *grid) step() float64 { return g.length / float64(max(g.slots, 1)) }
