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

func (w *work) write(ctx context.Context) (Result, error) {
	o := &output{work: w}
	for _, c := range w.cameras {
		for _, s := range c.snap.Streams {
			o.total += c.file.Frames(s.Profile.Stream)
		}
	}
	defer o.queue.drop()
	err := w.sets(ctx, w.cameras, o)
	if err == nil {
		err = o.settled(w.base.Add(1 << 62))
	}
	if err != nil {
		return o.result, err
	}
	if n := o.result.Dropped; n > 0 && w.damaged == 0 {
		w.o.Log.Warn().Uint64("frames", n).Msg("frames without those of another stream at their time were left out")
	}
	if o.result.Frames == 0 {
		return o.result, fmt.Errorf("%s: the filters returned no frame", w.o.In)
	}
	return o.result, nil
}

type output struct {
	*work
	queue       queue
	result      Result
	seen, total uint64 // images, and frames of the recording
}

func (o *output) set(c *camera, s *process.Set) error {
	o.result.Sets++
	o.seen += uint64(len(s.Images))
	o.o.Progress.Report(min(o.seen, o.total), o.total)
	for _, img := range chosen(s) {
		i := slices.IndexFunc(c.snap.Streams,
			func(s camdriver.StreamSnapshot) bool { return s.Profile.Stream == img.Frame.Stream() })
		if i < 0 || !c.fits(img) {
			o.result.Dropped++
			continue
		}
		o.frame(c, c.snap.Streams[i].Sensor, img.Frame, img.Frame.Arrival)
	}
	return nil
}

func (o *output) settled(at time.Time) error { return o.queue.write(at) }

func (o *output) frame(c *camera, sensor int, f *camdriver.Frame, at time.Time) {
	o.result.Frames++
	f.Retain()
	o.queue.add(at, func() error { return c.out.Frame(sensor, f) }, f.Release)
}

func (o *output) event(c *camera, e rsbag.Event) error {
	at := o.base.Add(e.Time)
	switch {
	case e.Option != nil:
		o.queue.add(at, func() error { return c.out.Option(e.Sensor, e.Option.ID, e.Option.Value, at) }, func() {})
	case e.Notification != nil:
		o.queue.add(at, func() error { return c.out.Notification(e.Sensor, *e.Notification, at) }, func() {})
	default:
		o.frame(c, e.Sensor, e.Frame, at)
	}
	return nil
}

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
