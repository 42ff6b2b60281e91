package replay

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/bucket"
	"rsros/test/need"
)

// TestPlayFromBucket plays 2 MB/s, and 10 MB/s, over links that are fast enough, too slow, or fail for a while.
func TestPlayFromBucket(t *testing.T) {
	b := bucket.Start(t)
	type recording struct {
		path  string
		texts []string
	}
	write := func(n, size int, interval time.Duration) (r recording) {
		var list []raw
		for i := range n {
			list = append(list, raw{bag0.Add(time.Duration(i) * interval), "/a", "std_msgs/String", text(fmt.Sprintf("%-*d", size, 2*i))})
			r.texts = append(r.texts, fmt.Sprint(2*i))
		}
		r.path = writeRaw(t, list...).Path()
		return r
	}
	small, large := write(60, 40_000, 20*time.Millisecond), write(120, 100_000, 10*time.Millisecond)

	halt := func(then func(p *Player, resume func())) func(*Player) func(Status) {
		return func(p *Player) func(Status) {
			var resume func()
			return func(s Status) {
				switch {
				case resume == nil && s.Messages > 3:
					resume = b.Halt()
				case s.State == Stalled && then != nil:
					then(p, resume)
					then = nil
				}
			}
		}
	}
	for name, test := range map[string]struct {
		recording
		rate    int64 // of the link
		watch   func(p *Player) func(Status)
		stalled bool
		ends    bool // before the end of the recording
	}{
		"twice as fast":        {recording: small, rate: 4_000_000},
		"twice as fast, large": {recording: large, rate: 20_000_000},
		"too slow":             {recording: small, rate: 1_200_000, stalled: true},
		"halted":               {recording: small, rate: 4_000_000, stalled: true, watch: halt(func(_ *Player, resume func()) { resume() })},
		"stopped while halted": {recording: small, rate: 4_000_000, stalled: true, ends: true, watch: halt(func(p *Player, _ func()) { p.Submit(Stop{}) })},
		"paused while halted": {recording: small, rate: 4_000_000, stalled: true, watch: halt(func(p *Player, resume func()) {
			p.Submit(Pause{})
			resume()
			p.Submit(Resume{})
		})},
	} {
		t.Run(name, func(t *testing.T) {
			b.Link(test.rate, 5*time.Millisecond)
			b.Halt()() // whatever the last one halted
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			// A name of its own, so that no block is in memory already.
			bag, err := rosbag.Open(b.Put(rand.Text()+".bag", test.path), bagstore.OpenOptions{Context: ctx})
			need.Must(t, err)
			defer bag.Close()
			clock, err := NewSystem()
			need.Must(t, err)
			defer clock.Close()
			j := &journal{clock: clock}
			var watch func(Status)
			p, err := New(Options{
				Source: Bags([]*bagstore.Recording{bag}), Output: j, Clock: clock, Log: zerolog.New(zerolog.NewTestWriter(t)), Interrupt: cancel,
				OnStatus: func(s Status) {
					if watch != nil {
						watch(s)
					}
				},
				Settings: Settings{ClockHz: 100},
			})
			need.Must(t, err)
			if test.watch != nil {
				watch = test.watch(p)
			}
			need.Must(t, p.Run(t.Context()))
			texts, _ := j.messages(t)
			want := test.texts
			if test.ends {
				want = want[:min(len(texts), len(want)-1)]
			}
			if s := p.Status(); !slices.Equal(texts, want) || (s.Stalls > 0) != test.stalled || (s.Stalled > 0) != test.stalled || len(p.Problems()) > 0 {
				t.Errorf("%d messages, %d stalls of %v, %v", len(texts), s.Stalls, s.Stalled, p.Problems())
			}
		})
	}
}
