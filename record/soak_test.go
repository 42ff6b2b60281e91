package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/rig"
)

// soakParts is how many files a soak makes: what each leaves in memory shows above 27 KB, or with SOAK, above 9 KB.
var soakParts = map[bool]int{false: 300, true: 1000}[os.Getenv("SOAK") != ""]

// TestTopicsSoak records two cameras' topics into many files: their memory is given up, and the figures are those of the files.
func TestTopicsSoak(t *testing.T) {
	const second = bagstore.Time(1e9)
	for name, o := range map[string]Options{
		"all":        {Split: true, MaxTime: time.Hour},
		"lz4":        {Split: true, MaxTime: time.Hour, Bag: bagstore.Options{Compression: bagstore.LZ4}},
		"max-splits": {Split: true, MaxTime: time.Hour, MaxSplits: 3, Bag: bagstore.Options{Sink: bagstore.Direct}},
		"keep":       {Split: true, MaxTime: time.Hour, Keep: 1 << 20},
		"db3":        {Split: true, MaxTime: time.Hour, MaxSplits: 3, DB3: true},
		"ring":       {Latched: true, Ring: Ring{Before: 10 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o.Output, o.Bag.NoSync = filepath.Join(dir, "x"), true
			f, clock := files(t, o)
			f.log = zerolog.Nop()
			began := time.Now()
			left, right := received(64<<10), received(64<<10)
			rig.Flat(t, soakParts, func(i int) {
				clock.advance(2 * time.Second)
				at := bagstore.TimeOf(clock.now)
				for _, m := range []*item{
					{topic: "/left", header: headerOf("/left", "0"), buffer: left}, {topic: "/right", header: headerOf("/right", "0"), buffer: right},
				} {
					m.at, m.stamp, m.part = at, at, uint32(i)
					need.Must(t, f.write(m))
				}
				if !o.Split {
					need.Must(t, f.tick(&item{at: at + second, arrival: began.Add(time.Duration(i+1) * 2 * time.Second)}))
				}
			})
			sum, size := f.totals(), int64(0)
			finish(t, f)
			for _, path := range f.totals().Paths {
				st, err := os.Stat(path)
				need.Must(t, err)
				size += st.Size()
			}
			if f.made < soakParts || o.Split && sum.Files < soakParts || f.totals().Bytes != size {
				t.Errorf("%d files were made; %+v, have %d bytes", f.made, sum, size)
			}
			if files := strings.Fields(listing(t, dir)); (o.MaxSplits > 0 || o.Keep > 0 || !o.Split) && (len(sum.Paths) > 20 || len(files) > 20) {
				t.Errorf("%d files are kept, %d are in the summary", len(files), len(sum.Paths))
			}
		})
	}
}

// TestCameraSoak records a camera into many files, all of them and as a ring.
func TestCameraSoak(t *testing.T) {
	for name, o := range map[string]Options{"bag": {}, "db3": {DB3: true}, "ring": {Ring: Ring{Before: 10 * time.Second}}} {
		t.Run(name, func(t *testing.T) {
			o.Bag.NoSync = true
			s := newStudio(t, o)
			s.log = zerolog.Nop()
			path := filepath.Join(t.TempDir(), "walk.bag")
			if o.DB3 {
				path = strings.TrimSuffix(path, extBag) + extDB3
			}
			_, err := s.Start(path)
			s.must(err)
			began := time.Now()
			rig.Flat(t, soakParts, func(i int) {
				s.raise(1)
				if rec := s.Current(); o.Ring.Before > 0 {
					at := began.Add(time.Duration(i+1) * 2 * time.Second)
					rec.event(func(s *series) error { return s.tick(&item{arrival: at}) })
				} else {
					s.running().Split()
				}
				if i%10 == 9 {
					peer.Await(t, "an empty queue", func() bool { return s.Current().queue.Size() == 0 })
				}
			})
			p := s.Current().Figures()
			sum, err := s.Stop()
			s.must(err)
			if made := soakParts - 1; o.Ring.Before == 0 && (sum.Frames != uint64(2*soakParts) || sum.Files < made || p.Files < made-1) {
				t.Errorf("%d files, %d frames; before the end %d", sum.Files, sum.Frames, p.Files)
			}
			if o.Ring.Before > 0 && p.Files > 20 {
				t.Errorf("the ring has %d files", p.Files)
			}
		})
	}
}
