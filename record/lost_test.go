package record

import (
	"testing"

	"rsros/msgs"
	"rsros/test/peer"
	"rsros/test/rig"
)

func TestLostCount(t *testing.T) {
	l := lossCount{stopped: true}
	l.run(true, 10)
	for _, c := range []struct {
		change       func(on bool, source uint64)
		on           bool
		source, want uint64
	}{
		{l.run, true, 12, 2},
		{l.run, false, 15, 5},
		{l.run, false, 20, 5}, // again
		{l.run, true, 30, 5},
		{l.run, true, 31, 6},
		{l.run, false, 3, 0}, // the source knows better: they weren't losses
		{l.run, true, 1, 0},
	} {
		if c.change(c.on, c.source); l.read(c.source) != c.want {
			t.Errorf("%v at %d: %d lost, want %d", c.on, c.source, l.read(c.source), c.want)
		}
	}
}

// TestLostWhileNotRecorded checks that what a publisher lost during a pause, and after the limit of a topic, doesn't count.
func TestLostWhileNotRecorded(t *testing.T) {
	master := rig.Master(t).URI()
	_, p := points(t, master)
	o := config(t, master, Options{Topics: []string{"/point", "/none"}, Thinning: Thinning{Limit: []string{"6"}}})
	running, ended := start(t, o)
	row := func() Row { return running.Figures().Row("/point") }
	peer.Await(t, "the recorder", func() bool { return row().Publishers == 1 })
	running.mu.Lock()
	f := running.topics["/point"]
	running.mu.Unlock()
	arrived := uint64(0)
	publish := func(numbers ...byte) {
		t.Helper()
		for _, seq := range numbers {
			p.Publish(msgs.Raw{Head: append([]byte{seq}, make([]byte, 39)...)})
		}
		arrived += uint64(len(numbers))
		peer.Await(t, "the messages", func() bool { return f.subscriber.Stats().Messages == arrived })
	}
	publish(1, 2, 4)
	peer.Await(t, "their recording", func() bool { return f.count.Load() == 3 })
	running.Pause(true)
	publish(5, 9, 10)
	if n := row().Lost; n != 1 {
		t.Errorf("%d lost while paused, want 1", n)
	}
	running.Pause(false)
	publish(11, 13, 14)
	publish(20, 21) // after the limit
	if n := row().Lost; n != 2 {
		t.Errorf("%d lost, want 2", n)
	}
	running.Stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
