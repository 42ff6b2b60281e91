//go:build usb && usbvm

package usbvm

import (
	"context"
	"sync"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/test/drivertest"
	"rsros/usbcam/d435i"
)

// spoiler changes a payload of depth; nil is a stall. It applies to one payload, or until the host clears the endpoint if more is
// true.
type spoiler func(ctx context.Context, payload []byte) (out []byte, more bool)

// faults are those of a camera.
type faults struct {
	mu    sync.Mutex
	spoil spoiler
}

func (f *faults) set(spoil spoiler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spoil = spoil
}

// Control ends a fault if the host clears depth's endpoint.
func (c counted) Control(s d435i.Setup, out []byte) ([]byte, error) {
	if s.RequestType == 2 && s.Index == 0x82 {
		c.set(nil)
	}
	return c.Camera.Control(s, out)
}

// payload reads an endpoint and applies its fault.
func (c counted) payload(ctx context.Context, endpoint uint8) ([]byte, error) {
	b, err := c.Camera.Read(ctx, endpoint)
	c.faults.mu.Lock()
	spoil := c.spoil
	c.faults.mu.Unlock()
	if endpoint != 0x82 || err != nil || spoil == nil {
		return b, err
	}
	b, more := spoil(ctx, b)
	if !more {
		c.set(nil)
	}
	if b == nil {
		return nil, d435i.ErrStall
	}
	return b, nil
}

// TestFaults breaks a running stream through the true stack: libusb, usbfs and
// the host controller each have their own way to say what happened.
func TestFaults(t *testing.T) {
	port := plug(t, d435i.Options{})
	d := open(t, d400.Selector{})
	s, p := profile(t, d, depth, camdriver.Z16, 480, 270, 30)
	c := newCollector()
	drivertest.Start(t, s, c, p)
	once := func(f func([]byte) []byte) spoiler {
		return func(_ context.Context, b []byte) ([]byte, bool) { return f(b), false }
	}
	for _, test := range []struct {
		name  string
		spoil spoiler
	}{
		{"halted endpoint", func(context.Context, []byte) ([]byte, bool) { return nil, true }},
		{"silence", func(ctx context.Context, _ []byte) ([]byte, bool) { <-ctx.Done(); return nil, true }},
		{"short frame", once(func(b []byte) []byte { return b[:len(b)/2] })},
		{"garbage", once(func(b []byte) []byte { clear(b[:300]); return b[:300] })},
	} {
		c.count(t, 3, depth)
		port.faults.set(test.spoil)
		c.release()
		c.count(t, 3, depth)
		c.mu.Lock()
		if len(c.status) > 0 {
			t.Errorf("%s: status %v", test.name, c.status)
		}
		c.mu.Unlock()
		checkFrames(t, c, depth, "Z16 ")
	}
	drivertest.Stop(t, s)
	c.release()
}
