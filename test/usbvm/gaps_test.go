//go:build usb && usbvm

package usbvm

import (
	"errors"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// TestGaps counts what the driver loses of five seconds of depth and colour.
func TestGaps(t *testing.T) {
	const count = 150
	plug(t, d435i.Options{})
	d := open(t, d400.Selector{})
	stereo, pd := profile(t, d, depth, camdriver.Z16, 640, 480, 30)
	rgb, pc := profile(t, d, color, camdriver.YUYV, 640, 480, 30)
	came := map[camdriver.StreamID]int{}
	first, last := map[camdriver.StreamID]uint64{}, map[camdriver.StreamID]uint64{}
	c := newCollector()
	c.each = func(f *camdriver.Frame) {
		id := f.Stream()
		if came[id]++; came[id] == 1 {
			first[id] = f.Number
		}
		last[id] = f.Number
	}
	need.Must(t, errors.Join(stereo.Start([]camdriver.Profile{pd}, c), rgb.Start([]camdriver.Profile{pc}, c)))
	spared := spare(t)
	c.wait(t, "frames", func() bool { return came[depth] >= count && came[color] >= count })
	part := spared()
	if err := errors.Join(stereo.Stop(), rgb.Stop()); err != nil {
		t.Error(err)
	}
	for _, id := range []camdriver.StreamID{depth, color} {
		checkGaps(t, id.String(), came[id], int(last[id]-first[id])+1, part)
	}
	c.release()
}
