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
		return o.result, fmt.Errorf("%s: the filters returned no frame", w.o.In)
	}
	return o.result, nil
}

type output struct {
	*work
	out     *rsbag.Recorder
	sensors map[camdriver.StreamID]int
	queue   queue
	result  Result
}

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

func (o *output) event(e rsbag.Event) error {
	at := base.Add(e.Time)
	switch {
	case e.Option != nil:
		o.queue.add(at, func() error { return o.out.Option(e.Sensor, e.Option.ID, e.Option.Value, at) }, func() {})
	case e.Notification != nil:
		o.queue.add(at, func() error { return o.out.Notification(e.Sensor, *e.Notification, at) }, func() {})
	default:
		o.frame(e.Sensor, e.Frame, at)
	}
	return o.queue.write(at.Add(-longest))
}

// longest is the syncer's maximum delay of a frame: eight frame times at 6 Hz.
const longest = 1500 * time.Millisecond

// queue sorts by time, because sets come later than the motion samples of their time.
type queue struct{ list []entry }

type entry struct {
	at      time.Time
	write   func() error
	release func()
}

func (q *queue) add(at time.Time, write func() error, release func()) {
	i := len(q.list)
	for i > 0 && q.list[i-1].at.After(at) {
		i--
	}
	q.list = slices.Insert(q.list, i, entry{at, write, release})
}

func (q *queue) write(before time.Time) (err error) {
	n := 0
	for ; err == nil && n < len(q.list) && q.list[n].at.Before(before); n++ {
		err = q.list[n].write()
		q.list[n].release()
	}
	q.list = slices.Delete(q.list, 0, n)
	return err
}

func (q *queue) drop() {
	for _, e := range q.list {
		e.release()
	}
	q.list = nil
}
