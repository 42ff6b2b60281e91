package rewrite

import (
	"context"
	"errors"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/rosbag"
)

// JoinParts copies consecutive parts of a recording into one bag, as Join says. Chunks stay as they are stored unless a
// latching publisher is in them, so the options' compression is only that of the others. One part is open at a time.
// pace is called before each message or chunk; its error ends the copying.
//
// The times of a RealSense recording count from the start of each part. Its messages are copied one by one, on the time
// line of the first part, without the descriptions that the others repeat.
func JoinParts(ctx context.Context, parts []string, out string, o bagstore.Options, pace func() error) error {
	o.ChunkSize = 0
	w, err := rosbag.CreateOutput(ctx, out, o)
	if err != nil {
		return err
	}
	w.AsStored = true
	j := joiner{out: w, pace: pace, described: map[string]int{}}
	Join(&j.o)
	for n, path := range parts {
		if err = j.add(ctx, n, path); err != nil {
			break
		}
	}
	return w.Finish(err)
}

type joiner struct {
	o    Options // of Join
	out  *rosbag.Output
	pace func() error

	// Of a RealSense recording.
	first     time.Time      // wall time of the first part's time 0; zero for other recordings
	end       bagstore.Time  // of what is copied
	described map[string]int // the part that describes a topic
}

func (j *joiner) add(ctx context.Context, n int, path string) error {
	b, err := rosbag.Open(path, bagstore.OpenOptions{Context: ctx, Sequential: true})
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // only read
	shift, err := j.place(b, n)
	if err != nil {
		return err
	}
	j.out.Keep(b.Connections())
	takes := func(c *bagstore.WholeChunk) bool {
		return (n == 0 || j.first.IsZero()) && j.out.Takes(c) && !slices.ContainsFunc(c.Connections(), j.o.Judges)
	}
	v := b.Shifted(shift).View(bagstore.Query{})
	for p, err := range v.Pieces("", takes) {
		if err == nil {
			err = j.pace()
		}
		switch {
		case err != nil:
		case p.Whole != nil:
			err = j.out.CopyWhole(p.Whole)
		default:
			err = j.message(p.Message, n)
		}
		if err != nil {
			return err
		}
	}
	if end, ok := v.End(); ok {
		j.end = max(j.end, end)
	}
	return nil
}

// maxOverlap is how much earlier than the end of a part the next one may begin: streams arrive in some disorder.
const maxOverlap = bagstore.Time(time.Second)

// place returns what is added to the times of a part.
func (j *joiner) place(b *bagstore.Recording, n int) (shift bagstore.Time, err error) {
	start, err := startOf(b)
	if n == 0 {
		j.first = start
	}
	if n == 0 || j.first.IsZero() {
		return 0, err
	}
	shift = bagstore.Time(start.Sub(j.first))
	if start.IsZero() || shift < j.end-maxOverlap { // it has no frames, or its source went back
		shift = j.end
	}
	return shift, err
}

// startOf returns the wall time of a RealSense recording's time 0, zero for other recordings.
func startOf(b *bagstore.Recording) (start time.Time, err error) {
	f, err := rsbag.Open(b.Path(), rsbag.Options{Bag: b, First: true})
	if errors.Is(err, rsbag.ErrNoRecording) {
		return start, nil
	}
	if err == nil {
		start, _ = f.Start()
		err = f.Close()
	}
	return start, err
}

// message copies a message, but no description that an earlier part has.
func (j *joiner) message(m bagstore.Message, n int) error {
	if m.Time == bagstore.MinTime && !j.first.IsZero() {
		if part, known := j.described[m.Conn.Topic]; known && part < n {
			return nil
		}
		j.described[m.Conn.Topic] = n
	}
	_, err := j.o.copy(j.out, m, m.Time)
	return err
}
