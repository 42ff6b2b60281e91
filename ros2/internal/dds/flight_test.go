package dds

import (
	"testing"
	"time"
)

// TestSentAgain: a fragment is sent again if it was asked for later than a timeout after it was sent, however long the
// machine took between the moment that counts and the accounting.
func TestSentAgain(t *testing.T) {
	now := time.Now().Add(-time.Second)
	f := newFlight(&change{small: make([]byte, 100)}, 50, now)
	f.mark(0, 2, now)
	for _, c := range []struct {
		after  time.Duration
		marked int
	}{{maxTimeout - time.Millisecond, 0}, {maxTimeout + time.Millisecond, 2}, {time.Minute, 0}} { // asked for already
		if n := f.want(0, 2, f.units(now.Add(c.after-maxTimeout))); n != c.marked {
			t.Errorf("%v after it was sent: %d fragments are sent again, want %d", c.after, n, c.marked)
		}
	}
	if n := f.mark(0, 2, now.Add(time.Minute)); n != 2 || f.wanted != 0 {
		t.Errorf("%d were sent again, %d still wanted", n, f.wanted)
	}
}
