package dds

import (
	"net/netip"
	"testing"
	"time"

	"rsros/msgs"
	"rsros/ros2/internal/rtps"
)

// TestPaceOfReceiver sends images one after another to a receiver that has a buffer for 90 datagrams, reads 200 in a
// millisecond, and none while its subscriber takes an image. Timers are late now and then.
func TestPaceOfReceiver(t *testing.T) {
	const held, size, image = 90, 84 + remoteFragment, 2765000
	c := new(pacers).get(pacerKey(netip.MustParseAddrPort("10.9.0.2:7411"), false))
	start := time.Now()
	now, read, queue, most := start, start, 0.0, 0.0
	for range 20 {
		for left := image; left > 0; left -= fragmentsAtOnce * remoteFragment {
			now = now.Add(max(c.take(now, fragmentsAtOnce*size), 0))
			if left%17 == 0 {
				now = now.Add(900 * time.Microsecond)
			}
			if now.After(read) {
				queue = max(queue-200*now.Sub(read).Seconds()*1e3, 0)
				read = now
			}
			queue += fragmentsAtOnce
			most = max(most, queue)
		}
		c.rest(image)
		read = read.Add(2300 * time.Microsecond)
	}
	if most > held {
		t.Errorf("the receiver has %.0f datagrams to read, it holds %d", most, held)
	}
	if rate := 20 * image / now.Sub(start).Seconds(); rate < 100e6 {
		t.Errorf("%.0f bytes a second are sent", rate)
	}
}

// TestSmallSamplesDontRest: what fits the buffer is sent at once after small samples, too.
func TestSmallSamplesDontRest(t *testing.T) {
	c := new(pacers).get(netip.MustParseAddrPort("127.0.0.1:7411"))
	now := time.Now().Add(-100 * time.Millisecond)
	for range 100 {
		now = now.Add(time.Millisecond)
		c.take(now, 200)
		c.rest(100)
	}
	if d := c.take(now, localFragment); d > 0 {
		t.Errorf("the next sample waits %v", d)
	}
}

// TestSlowestPace sends 1280x720 rgb8 within its period at 30 Hz, however much was lost.
func TestSlowestPace(t *testing.T) {
	c := new(pacers).get(netip.MustParseAddrPort("127.0.0.1:7411"))
	for range 100 {
		c.lost()
	}
	now, d := time.Now(), time.Duration(0)
	for left := 2764800; left > 0; left -= localFragment {
		d = c.take(now, localFragment)
	}
	if c.rest(2764800); d > 30*time.Millisecond || c.free.Sub(now) > time.Second/30 {
		t.Errorf("it takes %v, then the receiver rests until %v", d, c.free.Sub(now))
	}
}

// TestLossesOfALink: an outlet slows down when a receiver misses more than a bad link loses, and repairs at once what
// was surely lost. It rests once a receiver has a sample.
func TestLossesOfALink(t *testing.T) {
	for _, c := range []struct {
		name      string
		local     bool
		base      int64
		missing   int // of the fragments from base on
		slower    bool
		rests     bool
		fragments int
		again     int // sent again before
	}{
		{"a part of the buffer", false, 97, 200, false, false, 2000, 0},
		{"more parts before", false, 97, 200, true, false, 2000, 300},
		{"the end", false, 1800, 60, false, true, 2000, 0},
		{"much of it", false, 10, 200, true, false, 900, 0},
		{"on this machine", true, 10, 1, true, true, 40, 0},
	} {
		begin := time.Now()
		w := &Writer{}
		change := newChange(&w.pool, &msgs.Raw{Head: make([]byte, c.fragments*100)}, true)
		w.history.add(change)
		f := newFlight(change, 100, begin)
		f.number, f.again = 1, c.again
		o := &outlet{w: w, peer: peer{reliable: true}, local: c.local, fragment: 100, flights: map[int64]*flight{1: f},
			pacer: &pacer{rate: maxRate}, trip: roundTrip{timeout: maxTimeout}, next: 2, start: 1}
		for i := range c.fragments {
			f.mark(i, 1, begin.Add(time.Duration(i)*10*unit))
		}
		sent := begin.Add(time.Duration(c.fragments) * 10 * unit)
		m := rtps.Submessage{Kind: rtps.NackFrag, Number: 1, Set: rtps.Set{Base: c.base}}
		for i := range int64(c.missing) {
			m.Set.Add(c.base + i)
		}
		m.Set.N++ // the next one has come
		o.missing(&m, begin)
		if f.wanted != c.missing {
			t.Errorf("%s: %d of %d are sent again at once", c.name, f.wanted, c.missing)
		}
		if slower := o.pacer.rate < maxRate; slower != c.slower {
			t.Errorf("%s: %.0f bytes a second", c.name, o.pacer.rate)
		}
		var j job
		for now := sent; o.repair(&j, now); now = now.Add(unit) {
			if change.release(); j.rest && f.wanted > 0 {
				t.Errorf("%s: rests before all is sent again", c.name)
			}
		}
		if f.again != c.again+c.missing || j.rest != c.rests {
			t.Errorf("%s: %d were sent again, rests %v", c.name, f.again, j.rest)
		}
		// The first of those that were sent again comes, the others are on the way.
		m.Set.Bits[0] &^= 1 << 31
		if o.missing(&m, sent.Add(minTimeout)); f.wanted > 0 {
			t.Errorf("%s: %d are to be sent again although they are on the way", c.name, f.wanted)
		}
	}
}

// TestBestEffortIsDoneOnceSent: a writer that is closed after Flush has sent its last sample.
func TestBestEffortIsDoneOnceSent(t *testing.T) {
	w := &Writer{}
	w.history.add(newChange(&w.pool, &msgs.Raw{Head: make([]byte, 150)}, true))
	o := &outlet{w: w, local: true, fragment: 100, flights: map[int64]*flight{}, next: 1, start: 1, answered: true}
	w.links = map[rtps.GUID]*outlet{{}: o}
	for range 2 {
		j := o.pick(time.Now())
		if j.count != 1 || o.done() != 0 {
			t.Errorf("%d fragments picked; done up to %d before they are sent", j.count, o.done())
		}
		j.c.release()
		o.sent()
	}
	if o.done() != 1 || len(w.history.list) > 0 {
		t.Errorf("done %d, %d in the history", o.done(), len(w.history.list))
	}
}
