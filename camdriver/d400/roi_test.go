package d400

import (
	"errors"
	"testing"
	"time"

	"rsros/camdriver"
	"rsros/test/drivertest"
	"rsros/usbcam/d435i"
)

// TestROI checks that the region is sent after the first frame of each start and after a
// replug.
func TestROI(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBus1(t)
		d, r := openFake(t, b), newRecorder()
		color, ok := d.Sensors()[1].(camdriver.ROISensor)
		if _, motion := d.Sensors()[2].(camdriver.ROISensor); !ok || motion {
			t.Fatalf("ROISensor: colour %v, motion module %v; want true, false", ok, motion)
		}
		stereo := d.Sensors()[0].(camdriver.ROISensor)
		want := camdriver.ROI{Left: 100, Right: 200, Top: 50, Bottom: 90}
		if err := stereo.SetROI(want); err != nil {
			t.Fatal(err)
		}
		expect := func(when string, s camdriver.ROISensor, want camdriver.ROI) {
			t.Helper()
			if got, err := s.ROI(); err != nil || got != want {
				t.Errorf("%s: %v, %v; want %v", when, got, err, want)
			}
		}
		expect("before the start", stereo, want)
		for _, when := range []string{"after the start", "after a stop and a start"} {
			drivertest.Start(t, stereo, r, smallDepth)
			pass(t, 2*time.Second)
			expect(when, stereo, want)
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
		expect("after a replug", stereo, want)
		want.Right = 220
		if err := stereo.SetROI(want); err != nil {
			t.Error(err)
		}
		expect("while streaming", stereo, want)
		if err := stereo.SetROI(camdriver.FullROI(smallDepth.Width+1, smallDepth.Height)); err == nil {
			t.Error("SetROI accepted a region wider than the images")
		}
		expect("of colour", color, camdriver.ROI{})
	})
}

func TestColorROINeedsFirmware(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := newBus1(t, d435i.Options{Firmware: [4]uint8{5, 10, 3, 0}})
		d, err := OpenOn(t.Context(), b, Selector{}, Options{AnyFirmware: true})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, ok := d.Sensors()[1].(camdriver.ROISensor); ok {
			t.Error("colour implements ROISensor with old firmware")
		}
	})
}

func FuzzROI(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{50, 0, 90, 0, 100, 0, 200, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeROI(b)
		if (err == nil) != (len(b) >= 8) {
			t.Errorf("%d bytes: %v, %v", len(b), r, err)
		}
	})
}
