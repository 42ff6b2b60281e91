// Package trigger says whether the cameras of a recording, and the streams of each, take their images at the same
// moments: how far apart the frames are, whether that changes, and how many frames have no partner.
//
// A frame has a stamp, on a clock of the camera or the host, and a time of recording, on the host's clock, which is
// later and varies by milliseconds. Stamps are trusted if both streams' are of one clock; a camera's own clock drifts
// against that of another one, also if one signal triggers both.
package trigger

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

// Verdict says how two streams are related.
type Verdict string

const (
	Together  Verdict = "triggered together"
	Free      Verdict = "free running at the same rate"
	Different Verdict = "different rates"
	Unknown   Verdict = "too few frames to say"
)

// Report is the result for a recording.
type Report struct {
	Streams []*Stream `json:"streams"`
	Pairs   []*Pair   `json:"pairs"`
}

// Stream is a stream of images.
type Stream struct {
	Camera  string  `json:"camera"`
	Stream  string  `json:"stream"`
	Frames  int     `json:"frames"`
	Missing uint64  `json:"missing"` // numbers that the frames leave out
	Rate    float64 `json:"rate_hz"` // of the median interval
	Clock   string  `json:"clock"`   // of the stamps
	// Drift is what the stamps gain on the times of recording, and Limit its uncertainty.
	Drift float64 `json:"clock_drift_ppm"`
	Limit float64 `json:"clock_drift_limit_ppm"`
	Jumps []Jump  `json:"clock_jumps,omitempty"`

	id     camdriver.StreamID
	domain camdriver.Domain
	frames []frame
}

// Jump is a step of a stream's stamps against the times of recording.
type Jump struct {
	At float64 `json:"at_s"` // after the first frame of all
	By float64 `json:"by_ms"`
}

// Pair compares two streams. Offsets are positive if B's frames are later.
type Pair struct {
	A           string   `json:"a"`
	B           string   `json:"b"`
	OneCamera   bool     `json:"one_camera"`
	Clock       string   `json:"clock"` // the one that was trusted
	Offset      float64  `json:"offset_ms"`
	Spread      float64  `json:"spread_ms"` // standard deviation, of the offsets without the drift
	Drift       float64  `json:"drift_ppm"`
	DriftLimit  float64  `json:"drift_limit_ppm"` // a smaller one can't be told
	Leads       string   `json:"leads,omitempty"` // the one whose frames are first; "" if none is
	Paired      int      `json:"paired"`
	AloneA      int      `json:"a_without_partner"`
	AloneB      int      `json:"b_without_partner"`
	Threshold   float64  `json:"threshold_ms"` // for Offset
	StampsDrift *float64 `json:"stamps_drift_ppm,omitempty"`
	Verdict     Verdict  `json:"verdict"`
	Notes       []string `json:"notes,omitempty"`

	times, offsets []float64 // s, ms
}

// Analyse reads the frames of all images of a recording.
func Analyse(ctx context.Context, bag *bagstore.Recording) (*Report, error) {
	files, err := rsbag.OpenAll(bag.Path(), rsbag.Options{Bag: bag, CameraNodes: true})
	if err != nil {
		return nil, err
	}
	r := &Report{}
	for _, f := range files {
		list, err := read(ctx, f)
		if err != nil {
			return nil, err
		}
		r.Streams = append(r.Streams, list...)
	}
	return r, r.compare()
}

const maxPairs = 1000

// compare compares the first stream of each camera with those of others, and the streams of one.
func (r *Report) compare() error {
	start := int64(math.MaxInt64)
	for _, s := range r.Streams {
		start = min(start, s.frames[0].arrived)
	}
	for _, s := range r.Streams {
		s.measure(start)
	}
	for i, a := range r.Streams {
		for _, b := range r.Streams[i+1:] {
			if a.Camera == b.Camera || r.leading(a) && r.leading(b) {
				if len(r.Pairs) == maxPairs {
					return fmt.Errorf("more than %d pairs of streams to compare", maxPairs)
				}
				r.Pairs = append(r.Pairs, comparePair(a, b, start))
			}
		}
	}
	return nil
}

// leading reports whether a stream stands for its camera.
func (r *Report) leading(s *Stream) bool {
	for _, o := range r.Streams {
		if o.Camera == s.Camera {
			return o == s
		}
	}
	return false
}

// Synchronised reports whether all pairs of cameras or, of one camera, all pairs of its streams are triggered together.
func (r *Report) Synchronised() bool {
	several := false
	for _, p := range r.Pairs {
		several = several || !p.OneCamera
	}
	for _, p := range r.Pairs {
		if p.Verdict != Together && !(several && p.OneCamera) {
			return false
		}
	}
	return len(r.Pairs) > 0
}

// WriteText prints the report for people.
func (r *Report) WriteText(w io.Writer) {
	for _, s := range r.Streams {
		fmt.Fprintf(w, "  %s %s: %d frames at %.2f Hz, %d missing, stamps by %s", s.Camera, s.Stream,
			s.Frames, s.Rate, s.Missing, s.Clock)
		if math.Abs(s.Drift) > s.Limit {
			fmt.Fprintf(w, ", which gains %+.1f ppm on the times of recording", s.Drift)
		}
		fmt.Fprintln(w)
		for _, j := range s.Jumps {
			fmt.Fprintf(w, "    its clock jumps by %+.1f ms at %.2f s\n", j.By, j.At)
		}
	}
	for _, p := range r.Pairs {
		fmt.Fprintf(w, "  %s and %s: %s\n", p.A, p.B, p.Verdict)
		if p.Verdict == Unknown {
			continue
		}
		fmt.Fprintf(w, "    offset %+.3f ms ± %.3f, drift %+.1f ppm ± %.1f, by %s; %s leads; threshold %.1f ms\n",
			p.Offset, p.Spread, p.Drift, p.DriftLimit, p.Clock, cmp.Or(p.Leads, "neither"), p.Threshold)
		fmt.Fprintf(w, "    %d pairs; without a partner: %d and %d\n", p.Paired, p.AloneA, p.AloneB)
		for _, n := range p.Notes {
			fmt.Fprintf(w, "    note: %s\n", n)
		}
	}
}
