package usbserve

import (
	"testing"

	"rsros/camdriver"
)

// TestTimelineFromZero checks that streams of a sensor whose source begins with number 0 keep the same numbers, also when it
// begins again.
func TestTimelineFromZero(t *testing.T) {
	var line timeline
	left, right := camdriver.LeftStream, camdriver.RightStream
	last := uint64(0)
	for round := range 3 {
		for number := range uint64(4) {
			n, l := line.stream(0, left)
			got := n.count(l, number)
			_, r := line.stream(0, right)
			if other := n.count(r, number); other != got {
				t.Errorf("round %d, number %d: left is %d, right is %d", round, number, got, other)
			}
			if round+int(number) > 0 && got != last+1 {
				t.Errorf("round %d, number %d: %d after %d", round, number, got, last)
			}
			last = got
		}
	}
}
