package rsbag

import (
	"math"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rslayout"
	"rsros/msgs"
)

// nativeStart adds the start of a camera node's recording to the facts.
func (f *File) nativeStart() {
	if f.native == nil || len(f.segments) != 1 {
		return
	}
	if start := -f.segments[0].shift; start >= epochTimes {
		f.additional = append(f.additional, msgs.KeyValue{Key: rslayout.KeyStart, Value: rslayout.FormatStart(start.Std())})
	}
}

// medianInterval returns the median time between frames, which pauses and losses hardly change.
func medianInterval(times []bagstore.Time) bagstore.Time {
	const most = 10_000 // enough for a median
	times = times[:min(len(times), most)]
	if len(times) < 2 {
		return 0
	}
	between := make([]bagstore.Time, 0, len(times)-1)
	for i, t := range times[1:] {
		between = append(between, t-times[i])
	}
	slices.Sort(between)
	return between[len(between)/2]
}

// usualRate returns the nominal rate of cameras or inertial sensors for a measured one, in Hz.
func usualRate(hz float64) int {
	for _, rate := range []float64{1, 5, 6, 10, 15, 25, 30, 60, 63, 90, 100, 200, 250, 300, 400} {
		if math.Abs(hz-rate) <= 0.04*rate {
			return int(rate)
		}
	}
	return max(int(math.Round(min(hz, 1<<20))), 1)
}
