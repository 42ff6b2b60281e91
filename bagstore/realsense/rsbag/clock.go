package rsbag

import (
	"fmt"
	"math"
	"slices"
	"time"

	"rsros/camdriver"
)

// clock relates the clock of a sensor's frames to that on which they arrive. Of each interval it keeps the
// frame that arrived with the least delay: delays vary, and only upwards.
type clock struct {
	stream camdriver.StreamID // the sensor's first one: delays of streams differ
	domain camdriver.Domain
	start  time.Time // arrival of the first frame
	stamp  float64   // of the first frame, in ms
	every  time.Duration
	points []clockPoint // one for each interval
}

// clockPoint is a frame. Times are relative to the first one.
type clockPoint struct{ at, ahead float64 } // seconds of arrival; of these, those by which the host's clock is ahead

// maxPoints bounds the points. When there are more, intervals become twice as long.
const maxPoints = 256

func newClock(f *camdriver.Frame) *clock {
	return &clock{stream: f.Stream(), domain: f.Domain, start: f.Arrival, stamp: f.Timestamp, every: time.Second}
}

func (c *clock) frame(f *camdriver.Frame) {
	at := f.Arrival.Sub(c.start)
	if f.Stream() != c.stream || f.Domain != c.domain || at < 0 {
		return
	}
	p := clockPoint{at.Seconds(), at.Seconds() - (f.Timestamp-c.stamp)/1e3}
	if math.IsNaN(p.ahead) || math.IsInf(p.ahead, 0) {
		return
	}
	last := len(c.points) - 1
	if last < 0 || int(at/c.every) != int(c.points[last].at/c.every.Seconds()) {
		c.points = append(c.points, p)
	} else if p.ahead < c.points[last].ahead {
		c.points[last] = p
	}
	if len(c.points) > maxPoints {
		c.thin()
	}
}

// thin joins pairs of points.
func (c *clock) thin() {
	c.every *= 2
	kept := c.points[:0]
	for pair := range slices.Chunk(c.points, 2) {
		p := pair[0]
		if len(pair) == 2 && pair[1].ahead < p.ahead {
			p = pair[1]
		}
		kept = append(kept, p)
	}
	c.points = kept
}

// clockFit is a line through differences between two clocks, fitted robustly (Theil and Sen), with standard errors.
type clockFit struct {
	domain              camdriver.Domain
	offset, offsetError float64 // seconds by which the host's clock was ahead when the first frame arrived
	drift, driftError   float64 // seconds that it gains in a second
	span                time.Duration
}

// fit needs frames of three intervals.
func (c *clock) fit() (f clockFit, ok bool) {
	n := len(c.points)
	f.domain = c.domain
	if n < 3 {
		return f, false
	}
	var slopes []float64
	mean := 0.0
	for i, p := range c.points {
		mean += p.at / float64(n)
		for _, q := range c.points[:i] {
			if p.at > q.at {
				slopes = append(slopes, (p.ahead-q.ahead)/(p.at-q.at))
			}
		}
	}
	if len(slopes) == 0 {
		return f, false
	}
	f.drift = median(slopes)
	rest := make([]float64, n)
	squares := 0.0
	for i, p := range c.points {
		rest[i] = p.ahead - f.drift*p.at
		squares += (p.at - mean) * (p.at - mean)
	}
	middle := median(rest)
	for i := range rest {
		rest[i] = math.Abs(rest[i] - middle)
	}
	const perDeviation = 1.4826 // the standard deviation of normal errors by their median
	deviation := perDeviation * median(rest)
	f.driftError = deviation / math.Sqrt(squares)
	f.offsetError = deviation * math.Sqrt(1/float64(n)+mean*mean/squares)
	f.offset = float64(c.start.UnixNano())/1e9 - c.stamp/1e3 + middle
	f.span = time.Duration(c.points[n-1].at * float64(time.Second))
	return f, true
}

// median sorts its argument, which isn't empty.
func median(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

// String returns the text that is written into a recording.
func (f clockFit) String() string {
	return fmt.Sprintf("%v, offset %.6f s ± %.6f s, drift %+.3f ppm ± %.3f ppm, over %.0f s",
		f.domain, f.offset, f.offsetError, f.drift*1e6, f.driftError*1e6, f.span.Seconds())
}
