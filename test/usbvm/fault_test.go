//go:build usb && usbvm

package usbvm

import (
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/usbcam/d435i"
)

// TestFaults breaks a running stream through the true stack: libusb, usbfs and
// the host controller each have their own way to say what happened.
func TestFaults(t *testing.T) {
	port := plug(t, d435i.Options{})
	d := open(t, d400.Selector{})
	s, p := profile(t, d, depth, camdriver.Z16, 480, 270, 30)
	c := newCollector()
	if err := s.Start([]camdriver.Profile{p}, c); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		fault func(*d435i.Camera)
	}{
		{"halted endpoint", func(c *d435i.Camera) { c.Halt(0x82) }},
		{"silence", func(c *d435i.Camera) { c.Silence(0x82) }},
		{"short frame", func(c *d435i.Camera) { c.Spoil(0x82, func(b []byte) []byte { return b[:len(b)/2] }) }},
		{"garbage", func(c *d435i.Camera) { c.Spoil(0x82, func(b []byte) []byte { clear(b[:300]); return b[:300] }) }},
		{"nothing", func(c *d435i.Camera) { c.Spoil(0x82, func([]byte) []byte { return nil }) }},
		{"busy camera", func(c *d435i.Camera) { c.StallControls(20) }},
	} {
		c.count(t, 3, depth)
		test.fault(port.Camera())
		c.release()
		c.count(t, 3, depth)
		c.mu.Lock()
		if len(c.status) > 0 {
			t.Errorf("%s: status %v", test.name, c.status)
		}
		c.mu.Unlock()
		checkFrames(t, c, depth, "Z16 ")
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	c.release()
}
