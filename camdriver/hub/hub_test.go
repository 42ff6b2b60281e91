package hub

import (
	"sync"
	"testing"

	"rsros/camdriver"
)

// counter is a consumer that counts.
type counter struct {
	camdriver.NopHandler
	mu     sync.Mutex
	frames int
}

func (c *counter) Frame(int, *camdriver.Frame) {
	c.mu.Lock()
	c.frames++
	c.mu.Unlock()
}

func TestHubCountsGapsInFrameNumbers(t *testing.T) {
	var h Hub
	id := camdriver.StreamID{Kind: camdriver.Infrared, Index: 2}
	for _, n := range []uint64{10, 11, 14, 15, 1, 2} { // 12 and 13 are lost; then the camera was reset
		f := camdriver.NewFrame(nil)
		f.Profile.Stream, f.Number = id, n
		h.Frame(0, f)
	}
	if frames, gaps := h.Given(id); frames != 6 || gaps != 2 {
		t.Errorf("%d frames and %d gaps, want 6 and 2", frames, gaps)
	}
	if frames, _ := h.Given(camdriver.StreamID{Kind: camdriver.Infrared, Index: 1}); frames != 0 {
		t.Error("streams share a counter")
	}
}

// Consumers come and go while frames flow from several goroutines; after detach
// no call may follow.
func TestHubDetachIsFinal(t *testing.T) {
	var h Hub
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for kind := range camdriver.StreamKind(3) {
		wg.Go(func() {
			for n := uint64(0); ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				f := camdriver.NewFrame(nil)
				f.Profile.Stream.Kind, f.Number = kind+1, n
				h.Frame(0, f)
			}
		})
	}
	for range 200 {
		c := &counter{}
		detach := h.Attach(c)
		detach()
		before := c.frames // no lock: detach has returned, so nobody else touches it
		detach()           // twice does no harm
		if c.frames != before {
			t.Fatal("a frame came after detach")
		}
	}
	close(stop)
	wg.Wait()
}

// No two streams of a device share a place, and All names each as Of does.
func TestPerStream(t *testing.T) {
	var p PerStream[int]
	for id, n := range p.All() {
		if p.Of(id) != n {
			t.Errorf("%v: All and Of differ", id)
		}
		*n++
	}
	for id, n := range p.All() {
		if *n != 1 {
			t.Errorf("%v was named %d times", id, *n)
		}
	}
	*p.Of(camdriver.StreamID{Kind: 255, Index: 1 << 30})++ // a broken stream harms nobody
	*p.Of(camdriver.StreamID{Kind: camdriver.Depth, Index: -1})++
}
