package record

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

func TestLimit(t *testing.T) {
	for name, c := range map[string]struct {
		seconds, waited time.Duration
		pressure        float64
		want            limit
	}{
		"waits for nothing":                     {2000, 0, 0, limitProcessor},
		"waits for a part":                      {2000, 900, 90, limitProcessor},
		"waits most of the time":                {2000, 1100, 40, limitDisk},
		"waits all of the time":                 {3000, 3000, 0, limitDisk},
		"waits, and others wait for processors": {3000, 3000, 60, limitBoth},
		"no time has passed":                    {0, 0, 0, limitDisk},
	} {
		at := time.Unix(100, 0)
		now := second{at.Add(c.seconds * time.Millisecond), time.Minute + c.waited*time.Millisecond}
		if got := now.limitSince(second{at, time.Minute}, c.pressure); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestDropsAreExplained checks that what to change is said with the first drop, once, and at the end.
func TestDropsAreExplained(t *testing.T) {
	lz4, camera := bagstore.Options{Compression: bagstore.LZ4}, []*tap{{}}
	for _, c := range []struct {
		limit   limit
		bag     bagstore.Options
		taps    []*tap
		exclude string // or an output that is no bag
		want    string
	}{
		{limitDisk, bagstore.Options{}, nil, "", "messages were dropped: the disk can't keep up; leave topics out with -x, write less with --lz4, or record to a faster disk"},
		{limitDisk, lz4, nil, "", "messages were dropped: the disk can't keep up; leave topics out with -x, or record to a faster disk"},
		{limitDisk, lz4, camera, "", "frames were dropped: the disk can't keep up; choose fewer, smaller or slower streams, or record to a faster disk"},
		{limitBoth, lz4, nil, "", "messages were dropped: the processor or the disk can't keep up; leave topics out with -x, or run fewer programs on this computer"},
		{limitProcessor, bagstore.Options{}, nil, "", "messages were dropped: the processor can't keep up; leave topics out with -x, or run fewer programs on this computer"},
		{limitProcessor, lz4, nil, ".*/compressed", "messages were dropped: the processor can't keep up; leave topics out with -x '.*/compressed', or record without compression, or with --lz4-topics for those that need it"},
		{limitProcessor, bagstore.Options{Compression: bagstore.BZ2}, nil, "", "messages were dropped: the processor can't keep up; leave topics out with -x, or record without compression, or with --lz4-topics for those that need it"},
		{limitProcessor, lz4, nil, "x.mcap", "messages were dropped: the processor can't keep up; leave topics out with -x, or record without compression"},
	} {
		r := newRecording(Options{Bag: c.bag}, nil, zerolog.Nop())
		if strings.HasSuffix(c.exclude, extMCAP) {
			r.o.Output, c.exclude = c.exclude, ""
		}
		r.taps = c.taps
		if c.exclude != "" {
			r.neck.exclude.Store(c.exclude)
		}
		if len(c.taps) > 0 {
			r.space.what = "frames"
		}
		if got := r.explain(c.limit); got != c.want {
			t.Errorf("first: %q, want %q", got, c.want)
		}
		if got, want := r.explain(c.limit), strings.Split(c.want, ";")[0]; got != want {
			t.Errorf("second: %q, want %q", got, want)
		}
		f := Figures{Losses: Losses{tooSlow: {Frames: 3}}}
		if c.taps == nil {
			f.Losses = Losses{tooSlow: {Messages: 3}}
		}
		if _, got := r.closing(f); !strings.HasSuffix(got, "s; 3 "+c.want) {
			t.Errorf("at the end: %s", got)
		}
	}
}

// TestClosing checks the last line of a recording.
func TestClosing(t *testing.T) {
	for _, c := range []struct {
		f    Figures
		taps []*tap
		want string
	}{
		{Figures{Paths: []string{"a.bag"}, Bytes: 2 << 20, Messages: 1, Topics: 1, Length: 1234 * time.Millisecond, Duration: time.Hour, Losses: Losses{late: {Messages: 2}}}, nil,
			"recorded a.bag: 1 message of 1 topic, 1.2s, 2.0 MB; 2 messages came after the end; next: rs-ros-node info a.bag"},
		{Figures{Paths: []string{"a_0.bag", "a_1.bag"}, Bytes: 3 << 30, Frames: 7, Duration: 2 * time.Hour, Length: time.Hour}, []*tap{{}},
			"recorded 2 files, a_0.bag … a_1.bag: 7 frames, 1h0m0s, 3.0 GB; next: rs-ros-node info a_0.bag"},
		{Figures{Paths: []string{"a.bag"}, Bytes: 4096}, nil, "recorded a.bag: 0 messages of 0 topics, 0s, 4.0 KB; nothing came: the recording is empty, and stays"},
		{Figures{Paths: []string{"a.bag"}, Frames: 7, Losses: Losses{tooSlow: {2, 1}, gone: {Frames: 3}, failed: {Messages: 4}}, Err: syscall.ENOSPC}, []*tap{{}},
			"recorded a.bag: 7 frames, 0s; 2 frames were dropped; 1 messages were dropped; 4 messages were lost: the disk is full; " +
				"3 frames were lost: another program has deleted, replaced or truncated their file; next: rs-ros-node info a.bag"},
		{Figures{Ring: "1 files", Messages: 7}, nil, "nothing was kept: no trigger came; the service ~trigger, the key t, --trigger and --trigger-silence keep what the ring has"},
		{Figures{Ring: "1 files", Frames: 7}, []*tap{{}}, "nothing was kept: no trigger came; the service ~trigger and the key t keep what the ring has"},
		{Figures{Ring: "1 files", Paths: []string{"kept.bag"}, Frames: 7}, []*tap{{}}, "recorded kept.bag: 7 frames, 0s; next: rs-ros-node info kept.bag"},
	} {
		r := newRecording(Options{}, nil, zerolog.Nop())
		if r.taps = c.taps; len(c.taps) > 0 {
			r.space.what = "frames"
		}
		if _, got := r.closing(c.f); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
