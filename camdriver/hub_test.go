package camdriver

import (
	"sync"
	"testing"
)

// counter is a consumer that counts frames.
type counter struct {
	NopHandler
	mu     sync.Mutex
	frames int
}

func (c *counter) Frame(int, *Frame) {
	c.mu.Lock()
	c.frames++
	c.mu.Unlock()
}

func TestHubCountsGapsInFrameNumbers(t *testing.T) {
	var h Hub
	id := RightStream
	for _, n := range []uint64{10, 11, 14, 15, 1, 2} { // 12 and 13 are lost, then the camera is reset
		f := NewFrame(nil)
		f.Profile.Stream, f.Number = id, n
		h.Frame(0, f)
	}
	if frames, gaps := h.Counts(id); frames != 6 || gaps != 2 {
		t.Errorf("got %d frames and %d gaps, want 6 and 2", frames, gaps)
	}
	if frames, _ := h.Counts(LeftStream); frames != 0 {
		t.Error("two streams share a counter")
	}
}

// TestHubDetachIsFinal attaches and detaches consumers while several goroutines raise
// frames. No call may follow detach.
func TestHubDetachIsFinal(t *testing.T) {
	var h Hub
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for kind := range StreamKind(3) {
		wg.Go(func() {
			for n := uint64(0); ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				f := NewFrame(nil)
				f.Profile.Stream.Kind, f.Number = kind+1, n
				h.Frame(0, f)
			}
		})
	}
	for range 200 {
		c := &counter{}
		detach := h.Attach(c)
		detach()
		before := c.frames // needs no lock after detach
		detach()           // a second call has no effect
		if c.frames != before {
			t.Fatal("frame arrived after detach")
		}
	}
	close(stop)
	wg.Wait()
}

// nested is a consumer that attaches another and changes an option while it handles a frame.
type nested struct {
	NopHandler
	hub    *Hub
	values []float32
}

func (n *nested) Frame(int, *Frame) {
	n.hub.Attach(&counter{})
	n.hub.OptionChanged(0, OptionGain, 7) // as the device does during SetOption
}

func (n *nested) OptionChanged(_ int, _ OptionID, v float32) {
	n.values = append(n.values, v)
}

func TestHubCallsWithinCalls(t *testing.T) {
	var h Hub
	c := &nested{hub: &h}
	detach := h.Attach(c)
	h.Frame(0, NewFrame(nil))
	detach()
	if len(c.values) != 1 || c.values[0] != 7 {
		t.Errorf("the consumer was told of the values %v, want 7", c.values)
	}
}

// TestPerStream checks that no two streams share a T and that All and Of agree.
func TestPerStream(t *testing.T) {
	var p PerStream[int]
	for id, n := range p.All() {
		if p.Of(id) != n {
			t.Errorf("%v: All and Of return different values", id)
		}
		*n++
	}
	for id, n := range p.All() {
		if *n != 1 {
			t.Errorf("%v was visited %d times", id, *n)
		}
	}
	*p.Of(StreamID{Kind: 255, Index: 1 << 30})++ // out of range, must not panic
	*p.Of(StreamID{Kind: Depth, Index: -1})++
}
