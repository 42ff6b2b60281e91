package reprocess

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
)

// write processes the whole recording into out.
func (w *work) write(ctx context.Context, out *rsbag.Recorder, made camdriver.DeviceSnapshot) (Result, error) {
	var r Result
	sensors := make(map[camdriver.StreamID]int)
	total := uint64(0)
	for _, s := range made.Streams {
		sensors[s.Profile.Stream] = s.Sensor
		total += w.file.Frames(s.Profile.Stream)
	}
	q := &queue{}
	defer q.drop()
	seen := uint64(0)
	set := func(s *process.Set) error {
		r.Sets++
		for _, img := range chosen(s) {
			f := img.Frame
			sensor, known := sensors[f.Stream()]
			if !known || !w.fits(img) {
				r.Dropped++
				continue
			}
			r.Frames++
			f.Retain()
			q.add(f.Arrival, func() error { return out.Frame(sensor, f) }, f.Release)
		}
		return nil
	}
	other := func(e rsbag.Event) error {
		at := base.Add(e.Time)
		switch {
		case e.Option != nil:
			q.add(at, func() error { return out.Option(e.Sensor, e.Option.ID, e.Option.Value, at) }, nil)
		case e.Notification != nil:
			q.add(at, func() error { return out.Notification(e.Sensor, *e.Notification, at) }, nil)
		default:
			r.Frames++
			f := e.Frame.Retain()
			q.add(at, func() error { return out.Frame(e.Sensor, f) }, f.Release)
		}
		return q.write(at.Add(-longest))
	}
	err := w.sets(ctx, func(s *process.Set) error {
		seen += uint64(len(s.Images))
		if w.o.Progress != nil {
			w.o.Progress(min(seen, total), total)
		}
		latest := s.Images[0].Frame.Arrival
		if err := set(s); err != nil {
			return err
		}
		return q.write(latest.Add(-longest))
	}, other)
	if err != nil {
		return r, err
	}
	if err := q.write(base.Add(1 << 62)); err != nil {
		return r, err
	}
	if r.Dropped > 0 && w.damage == nil {
		w.o.Log.Warn().Uint64("frames", r.Dropped).Msg("frames without those of another stream at their time were left out")
	}
	if r.Frames == 0 {
		return r, fmt.Errorf("%s: no frame came out", w.o.In)
	}
	return r, nil
}

// longest is how late a frame may come out of the syncer: eight frame times at 6
// frames a second.
const longest = 1500 * time.Millisecond

// queue brings what is written into the order of time: sets come later than the
// motion samples of their time.
type queue struct{ list []entry }

type entry struct {
	at      time.Time
	write   func() error
	release func() // may be nil
}

func (q *queue) add(at time.Time, write func() error, release func()) {
	i := len(q.list)
	for i > 0 && q.list[i-1].at.After(at) {
		i--
	}
	q.list = slices.Insert(q.list, i, entry{at, write, release})
}

// write writes what lies before a time.
func (q *queue) write(before time.Time) error {
	n := 0
	for ; n < len(q.list) && q.list[n].at.Before(before); n++ {
		err := q.list[n].write()
		if q.list[n].release != nil {
			q.list[n].release()
		}
		if err != nil {
			q.list = slices.Delete(q.list, 0, n+1)
			return err
		}
	}
	q.list = slices.Delete(q.list, 0, n)
	return nil
}

// drop gives back what was never written.
func (q *queue) drop() {
	for _, e := range q.list {
		if e.release != nil {
			e.release()
		}
	}
	q.list = nil
}
