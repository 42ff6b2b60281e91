package foxglove

import (
	"slices"
	"sync"
	"testing"

	"rsros/test/peer"
	"rsros/test/visitor"
)

// player is a Playback that only does what it is asked to.
type player struct {
	server *Server // that is told of changes

	mu    sync.Mutex
	now   PlaybackState
	asked []PlaybackCommand
}

func newPlayer() *player { return &player{now: PlaybackState{Paused, 10e9, 1, 0}} }

func (p *player) Range() (start, end int64, ok bool) { return 10e9, 20e9 + 5, true }

// become changes the state, as the player itself or another client would.
func (p *player) become(now PlaybackState) {
	p.mu.Lock()
	p.now = now
	p.mu.Unlock()
	p.server.Played(now)
}

func (p *player) Do(c PlaybackCommand) (PlaybackState, error) {
	p.mu.Lock()
	p.asked = append(p.asked, c)
	now := p.now
	p.mu.Unlock()
	now.Status, now.Speed = Paused, c.Speed
	if c.Play {
		now.Status = Playing
	}
	if c.Seek {
		now.Time = c.Time
		now.Jumps++
	}
	p.become(now)
	return now, nil
}

// TestPlaybackControl sends requests and receives changes by others.
func TestPlaybackControl(t *testing.T) {
	p := newPlayer()
	s, url := start(t, Options{Source: newFake(), Playback: p, Control: true})
	p.server = s
	s.Played(p.now)
	c, silent := visitor.DialFoxglove(t, url), visitor.DialFoxglove(t, url)
	state := func() visitor.Event {
		t.Helper()
		return c.Await("a playback state", func(e visitor.Event) bool { return e.Opcode == opPlaybackState })
	}
	for name, test := range map[string]struct {
		play    byte
		speed   float32
		seek    byte
		time    uint64
		asked   PlaybackCommand
		didSeek bool
	}{
		"play":        {0, 2, 0, 0, PlaybackCommand{true, 2, false, 10e9}, false},
		"pause there": {1, 1, 1, 15e9, PlaybackCommand{false, 1, true, 15e9}, true},
		"before":      {0, 1, 1, 3, PlaybackCommand{true, 1, true, 10e9}, true},
		"after":       {0, 1000, 1, 1 << 63, PlaybackCommand{true, Fastest, true, 20e9 + 5}, true},
		"no speed":    {0, -1, 0, 0, PlaybackCommand{true, Slowest, false, 10e9}, false},
	} {
		c.SendBinary(3, test.play, test.speed, test.seek, test.time, name)
		got := state()
		if got.PlayRequest != name || got.DidSeek != test.didSeek || got.Speed != test.asked.Speed || got.State != test.play {
			t.Errorf("%s was answered by %+v", name, got)
		}
		p.mu.Lock()
		if asked := p.asked[len(p.asked)-1]; asked != test.asked {
			t.Errorf("%s asked the player for %+v, expected %+v", name, asked, test.asked)
		}
		p.mu.Unlock()
	}
	p.mu.Lock()
	now := p.now
	p.mu.Unlock()
	now.Status = Ended
	p.become(now)
	if got := state(); got.State != byte(Ended) || got.DidSeek || got.PlayRequest != "" {
		t.Errorf("the end was told as %+v", got)
	}
	now.Jumps++
	now.Status, now.Time = Playing, 10e9
	p.become(now)
	if got := state(); got.State != byte(Playing) || !got.DidSeek || got.Time != 10e9 {
		t.Errorf("a loop was told as %+v", got)
	}
	silent.Send(map[string]any{"op": "getParameters", "id": "now"})
	silent.Await("an answer", func(e visitor.Event) bool {
		if e.Opcode == opPlaybackState {
			t.Error("a client that hasn't asked for playback got its state")
		}
		return e.Op == "parameterValues"
	})
}

// TestTime checks that the time is sent before the messages it belongs to, increases, and decreases
// only when the player jumps.
func TestTime(t *testing.T) {
	p, f := newPlayer(), newFake("/a")
	s, url := start(t, Options{Source: f, Playback: p})
	p.server = s
	c := visitor.DialFoxglove(t, url)
	c.Subscribe(1, "/a")
	peer.Await(t, "the subscription", func() bool { return len(subscriptions(s, "/a")) == 1 })
	p.become(p.now)
	var seen []int64
	read := func(until int64) {
		t.Helper()
		c.Await("a message", func(e visitor.Event) bool {
			if e.Opcode == opTime {
				seen = append(seen, e.Time)
			}
			return e.Opcode == opMessage && e.Time == until
		})
	}
	f.publish("/a", 11e9, "one")
	read(11e9)
	f.publish("/a", 12e9, "two")
	read(12e9)
	f.publish("/a", 11.5e9, "late") // made concurrently with the others
	read(11.5e9)
	p.become(PlaybackState{Playing, 10.5e9, 1, 1})
	f.publish("/a", 10.6e9, "after the jump")
	read(10.6e9)
	want := []int64{10e9, 11e9, 12e9, 10.5e9, 10.6e9}
	if !slices.Equal(seen, want) {
		t.Errorf("times %v, expected %v", seen, want)
	}
}
