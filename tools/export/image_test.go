package export

import (
	"errors"
	"io"
	"math"
	"sync/atomic"
	"testing"

	"rsros/msgs/imagetransport"
)

// TestWorkers checks the number of concurrent jobs, and that the first error is returned.
func TestWorkers(t *testing.T) {
	w := NewWorkers(3)
	var running, most, ran atomic.Int32
	broken := errors.New("broken")
	for i := range 100 {
		_ = w.Do(func() error {
			now := running.Add(1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			ran.Add(1)
			running.Add(-1)
			if i == 50 {
				return broken
			}
			return nil
		})
	}
	if err := w.Wait(); !errors.Is(err, broken) || most.Load() > 3 || ran.Load() != 100 {
		t.Errorf("%v, %d at once, %d ran", err, most.Load(), ran.Load())
	}
}

// FuzzImage checks that what Check accepts can be encoded.
func FuzzImage(f *testing.F) {
	for _, encoding := range []string{"mono8", "16UC1", "bayer_rggb8", "rgb8", "bgra8", "8UC3", "8UC4", "yuyv", "uyvy", "32FC1"} {
		f.Add(encoding, 3, 2, 12, true, make([]byte, 24))
		f.Add(encoding, 2, 2, 8, false, make([]byte, 16))
	}
	f.Add("else", 1, 1, 1, false, []byte{1})
	f.Add("rgb8", math.MaxInt32, math.MaxInt32, math.MaxInt32, false, []byte{1})
	f.Add("mono16", -1, -1, -1, false, []byte{})
	f.Fuzz(func(t *testing.T, encoding string, width, height, stride int, big bool, data []byte) {
		p := Image{Image: imagetransport.Image{Encoding: encoding, Width: width, Height: height, Step: stride, BigEndian: big, Data: data}}
		if p.Check() != nil {
			return
		}
		if err := p.Encode(io.Discard); err != nil {
			t.Error(err)
		}
	})
}
