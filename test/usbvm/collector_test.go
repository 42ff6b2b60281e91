//go:build usb && usbvm

package usbvm

import (
	"slices"
	"sync"
	"testing"
	"time"

	"rsros/camdriver"
)

// collector keeps what a device raises.
type collector struct {
	camdriver.NopHandler
	mu     sync.Mutex
	frames map[camdriver.StreamID][]*camdriver.Frame
	status []camdriver.StatusKind
	each   func(*camdriver.Frame) // instead of keeping frames
	event  chan struct{}          // of one place
}

func newCollector() *collector {
	return &collector{frames: map[camdriver.StreamID][]*camdriver.Frame{}, event: make(chan struct{}, 1)}
}

func (c *collector) notify() {
	select {
	case c.event <- struct{}{}:
	default:
	}
}

func (c *collector) Frame(_ int, f *camdriver.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.each != nil {
		c.each(f)
	}
	c.frames[f.Stream()] = append(c.frames[f.Stream()], f.Retain())
	if list := c.frames[f.Stream()]; c.each != nil && len(list) > 1 {
		list[len(list)-2].Release()
		list[len(list)-2] = nil
	}
	c.notify()
}

func (c *collector) StatusChanged(s camdriver.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = append(c.status, s.Kind)
	c.notify()
}

// wait waits until cond, which is called with c locked.
func (c *collector) wait(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		c.mu.Lock()
		done := cond()
		c.mu.Unlock()
		if done {
			return
		}
		select {
		case <-c.event:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// count waits for n frames of every stream.
func (c *collector) count(t testing.TB, n int, streams ...camdriver.StreamID) {
	t.Helper()
	c.wait(t, "frames of all streams", func() bool {
		return !slices.ContainsFunc(streams, func(s camdriver.StreamID) bool { return len(c.frames[s]) < n })
	})
}

func (c *collector) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, list := range c.frames {
		for _, f := range list {
			if f != nil {
				f.Release()
			}
		}
	}
	clear(c.frames)
}
