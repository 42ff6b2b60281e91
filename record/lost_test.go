package record

import (
	"testing"

	"rsros/msgs"
	"rsros/test/peer"
	"rsros/test/rig"
)

func TestLostCount(t *testing.T) {
	source := uint64(10)
	f := flow{stopped: true, gaps: func() uint64 { return source }}
	f.run(true)
	for _, c := range []struct {
		on          bool
		count, want uint64
	}{
		{true, 12, 2},
		{false, 15, 5},
		{false, 20, 5}, // again
		{true, 30, 5},
		{true, 31, 6},
		{false, 3, 0}, // the source knows better: they weren't losses
		{true, 1, 0},
	} {
		source = c.count
		if f.run(c.on); f.missing() != c.want {
			t.Errorf("%v at %d: %d lost, want %d", c.on, source, f.missing(), c.want)
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
