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
	o := &output{work: w, out: out, sensors: make(map[camdriver.StreamID]int)}
	total := uint64(0)
	for _, s := range made.Streams {
		o.sensors[s.Profile.Stream] = s.Sensor
		total += w.file.Frames(s.Profile.Stream)
	}
	defer o.queue.drop()
	seen := uint64(0)
	err := w.sets(ctx, func(s *process.Set) error {
		seen += uint64(len(s.Images))
		w.o.Progress.Report(min(seen, total), total)
		return o.set(s)
	}, o.event)
	if err == nil {
		err = o.queue.write(base.Add(1 << 62))
	}
	if err != nil {
		return o.result, err
	}
	if n := o.result.Dropped; n > 0 && w.damage == nil {
		w.o.Log.Warn().Uint64("frames", n).Msg("frames without those of another stream at their time were left out")
	}
	if o.result.Frames == 0 {
		return o.result, fmt.Errorf("%s: no frame came out", w.o.In)
	}
	return o.result, nil
}

// output is what one run writes.
type output struct {
	*work
	out     *rsbag.Recorder
	sensors map[camdriver.StreamID]int
	queue   queue
	result  Result
}

// set writes the images of a set.
func (o *output) set(s *process.Set) error {
	o.result.Sets++
	latest := s.Images[0].Frame.Arrival
	for _, img := range chosen(s) {
		sensor, known := o.sensors[img.Frame.Stream()]
		if !known || !o.fits(img) {
			o.result.Dropped++
			continue
		}
		o.frame(sensor, img.Frame, img.Frame.Arrival)
	}
	return o.queue.write(latest.Add(-longest))
}

func (o *output) frame(sensor int, f *camdriver.Frame, at time.Time) {
	o.result.Frames++
	f.Retain()
	o.queue.add(at, func() error { return o.out.Frame(sensor, f) }, f.Release)
}

// event writes an event that is no picture.
func (o *output) event(e rsbag.Event) error {
	at := base.Add(e.Time)
	switch {
	case e.Option != nil:
		o.queue.add(at, func() error { return o.out.Option(e.Sensor, e.Option.ID, e.Option.Value, at) }, nil)
	case e.Notification != nil:
		o.queue.add(at, func() error { return o.out.Notification(e.Sensor, *e.Notification, at) }, nil)
	default:
		o.frame(e.Sensor, e.Frame, at)
	}
	return o.queue.write(at.Add(-longest))
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
