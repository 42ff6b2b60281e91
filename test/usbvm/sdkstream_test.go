//go:build usb && usbvm && usbsdk

package usbvm

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"rsros/usbcam/d435i"
)

// TestSDKStream compares 300 pairs of frames with what the camera sent, and counts what was lost of
// those that were due.
func TestSDKStream(t *testing.T) {
	const count = 300
	w := plugWitness(t, d435i.Options{}, false)
	spared := spare(t)
	said := runSDK(t, "stream", fmt.Sprintf("640x480@30:%d", count))
	part := spared()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range []struct {
		name, code string
		endpoint   uint8
		fields     map[string]field
	}{
		{"Depth", "Z16 ", 0x82, stereoFields},
		{"Color", "YUY2", 0x84, colorFields},
	} {
		list := framesOf(t, said, s.name)
		if len(list) < count {
			t.Fatalf("%s: %d frames", s.name, len(list))
		}
		m := d435i.Mode{Code: s.code, W: 640, H: 480, Bits: 16, FPS: 30}
		want := make([]byte, m.Bytes())
		for _, f := range list {
			f.check(t, s.name, w.sent[s.endpoint], s.fields)
			d435i.Noise{}.Pixels(m, f.number, want)
			if h := fmt.Sprintf("%016x", sum(want)); f.hash != h {
				t.Errorf("%s: pixels of frame %d differ", s.name, f.number)
			}
		}
		span := list[len(list)-1].time() - list[0].time()
		checkGaps(t, s.name, len(list), int(float64(span)*30/1e6+0.5)+1, part)
	}
	if n := len(said["notification"]); n > 0 {
		t.Errorf("%d notifications", n)
	}
}

// TestSDKAct sets options that change images and metadata.
func TestSDKAct(t *testing.T) {
	for _, test := range []struct {
		option   string
		advanced bool
		key      string
		want     map[int64]bool // all values of the key
		image    string         // the stream whose pixels the option changes
	}{
		{"Hdr Enabled=1", false, "Actual Exposure", map[int64]bool{7500: true, 1: true}, "Infrared 1"},
		{"Emitter On Off=1", false, "Frame Emitter Mode", map[int64]bool{0: true, 1: true}, ""},
		{"Emitter Enabled=0", false, "Frame Emitter Mode", map[int64]bool{0: true}, ""},
		{"Exposure=17000", false, "Actual Exposure", map[int64]bool{17000: true}, "Infrared 2"},
		{"Gain=32", false, "Gain Level", map[int64]bool{32: true}, "Infrared 1"},
		{"Depth Units=0.0005", true, "Actual Exposure", map[int64]bool{8500: true}, "Depth"},
	} {
		t.Run(test.option, func(t *testing.T) {
			w := plugWitness(t, d435i.Options{Advanced: test.advanced}, true)
			said := runSDK(t, "stream", "424x240@15:20:all", test.option)
			w.mu.Lock()
			defer w.mu.Unlock()
			changed, seen := 0, map[int64]bool{}
			for _, s := range []struct {
				name     string
				endpoint uint8
				side     int
				fields   map[string]field
			}{
				{"Depth", 0x82, 0, stereoFields}, {"Infrared 1", 0x83, 0, stereoFields}, {"Infrared 2", 0x83, 1, stereoFields},
				{"Color", 0x84, 0, colorFields},
			} {
				list := framesOf(t, said, s.name)
				if len(list) < 10 {
					t.Errorf("%s: %d frames", s.name, len(list))
				}
				for _, f := range list {
					f.check(t, s.name, w.sent[s.endpoint], s.fields)
					p := w.sent[s.endpoint][f.time()]
					if h := fmt.Sprintf("%016x", p.sum[s.side]); f.hash != h {
						t.Errorf("%s: pixels of frame %d differ from what was sent", s.name, f.number)
					}
					if s.endpoint != 0x84 {
						seen[f.meta[test.key]] = true
					}
					if s.name == test.image && f.hash != fmt.Sprintf("%016x", plain(s.endpoint, s.side, f.number)) {
						changed++
					}
				}
			}
			if !maps.Equal(seen, test.want) {
				t.Errorf("%s is %v, want %v", test.key, seen, test.want)
			}
			if test.image != "" && changed == 0 {
				t.Errorf("%s doesn't change the images of %s", test.option, test.image)
			}
			if n := len(said["sample"]); n < 100 {
				t.Errorf("%d motion samples", n)
			}
			for _, f := range said["sample"] {
				checkSample(t, f)
			}
		})
	}
}

// plain is the hash of an image of 424x240 that no option has changed.
func plain(endpoint uint8, side int, n uint32) uint64 {
	m := d435i.Mode{Code: map[uint8]string{0x82: "Z16 ", 0x83: "Y8I "}[endpoint], W: 424, H: 240, Bits: 16, FPS: 15}
	b := make([]byte, m.Bytes())
	d435i.Noise{}.Pixels(m, n, b)
	if endpoint == 0x83 {
		b = half(b, side)
	}
	return sum(b)
}

// checkSample compares a motion sample with the scene's, corrected by the camera's calibration,
// within half a step of the sensors.
func checkSample(t *testing.T, f []string) {
	t.Helper()
	v := numbers(t, f[3:6])
	tables := d435i.Factory()
	correction, step := tables.Motion.Accel, 0.00981
	gyro := f[1] == "Gyro"
	if gyro {
		correction, step = tables.Motion.Gyro, math.Pi/1800
	}
	for n := range uint32(4000) { // of a period of some 314
		want := correction.Apply(d435i.Noise{}.Motion(gyro, n))
		same := true
		for i := range want {
			same = same && math.Abs(v[i]-want[i]) < 0.55*step
		}
		if same {
			return
		}
	}
	t.Errorf("%s: sample %v was never measured", f[1], v)
}
