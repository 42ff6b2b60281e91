package d400

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/test/drivertest"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// TestROI checks that the region is sent after the first frame of each start and after a
// replug.
func TestROI(t *testing.T) {
	bubble(t, func(t *testing.T, b *fakeBus, d *Device, r *recorder) {
		_, ok := d.Sensors()[1].(camdriver.ROISensor)
		if _, motion := d.Sensors()[2].(camdriver.ROISensor); !ok || motion {
			t.Fatalf("ROISensor: colour %v, motion module %v; want true, false", ok, motion)
		}
		stereo := d.Sensors()[0].(camdriver.ROISensor)
		want := camdriver.ROI{Left: 100, Right: 200, Top: 50, Bottom: 90}
		need.Must(t, stereo.SetROI(want))
		expect := func(when string, want camdriver.ROI) {
			t.Helper()
			got, err := askMonitor(t, b.camera(0), model.OpGetROI)
			wanted := []byte{byte(want.Top), 0, byte(want.Bottom), 0, byte(want.Left), 0, byte(want.Right), 0}
			if err != nil || !bytes.Equal(got, wanted) {
				t.Errorf("%s: the camera has the region % x, %v; want % x", when, got, err, wanted)
			}
		}
		for _, when := range []string{"after the start", "after a stop and a start"} {
			drivertest.Start(t, stereo, r, smallDepth)
			pass(t, 2*time.Second)
			expect(when, want)
			if when == "after the start" {
				drivertest.Stop(t, stereo)
			}
		}
		b.unplug(0)
		pass(t, 2*time.Second)
		if err := stereo.SetROI(want); !errors.Is(err, camdriver.ErrUnplugged) {
			t.Errorf("SetROI on an unplugged camera: %v", err)
		}
		b.plug(0)
		pass(t, 4*time.Second)
		expect("after a replug", want)
		want.Right = 220
		if err := stereo.SetROI(want); err != nil {
			t.Error(err)
		}
		expect("while streaming", want)
		if err := stereo.SetROI(camdriver.FullROI(smallDepth.Width+1, smallDepth.Height)); err == nil {
			t.Error("SetROI accepted a region wider than the images")
		}
	})
}

func TestColorROINeedsFirmware(t *testing.T) {
	d := openFake(t, newFakeBus(t, d435i.Options{Product: model.D435, Firmware: [4]uint8{5, 10, 3, 0}}))
	if _, ok := d.Sensors()[1].(camdriver.ROISensor); ok {
		t.Error("colour implements ROISensor with old firmware")
	}
}
