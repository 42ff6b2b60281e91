package rsbag

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/camdriver"
)

func TestSummary(t *testing.T) {
	f := openSample(t, "sw_small_pause")
	if !IsRecording(f.Bag()) {
		t.Error("not taken for a recording")
	}
	sum := f.summary(true)
	var b strings.Builder
	if err := sum.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `device:    Synthetic Software Device, serial 012345678901, firmware 5.16.0.1
layout:    RealSense version 4, 1.328s
recorded:  2023-11-14T22:13:20Z
sensor 0:  Stereo Module, 6 options
             Depth_0 Z16 64x48@30: 40 frames at 30.0 Hz, 20 missing
             Infrared_1 Y8 64x48@30: 40 frames at 30.0 Hz, 20 missing
             Infrared_2 Y8 64x48@30: 40 frames at 30.0 Hz, 20 missing
sensor 1:  RGB Camera, 3 options
             Color_0 RGB8 64x48@30: 40 frames at 30.0 Hz, 20 missing
sensor 2:  Motion Module, 2 options
             Gyro_0 MOTION_XYZ32F @200: 240 frames at 180.0 Hz, 120 missing
             Accel_0 MOTION_XYZ32F @100: 120 frames at 90.0 Hz, 60 missing
sensor 3:  Tracking Module, 1 options
             Pose_0 6DOF @200: 240 frames at 180.1 Hz, 120 missing
note:      stream Gyro_0 has no extrinsics
note:      stream Accel_0 has no extrinsics
note:      stream Pose_0 has no extrinsics
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
	missing, damaged, why := f.Gaps()
	if why != nil || damaged != 0 || missing[camdriver.DepthStream] != 20 || missing[camdriver.GyroStream] != 120 {
		t.Errorf("missing %v, damaged %d, %v", missing, damaged, why)
	}
}

// TestPlayableAtEveryInstant copies a file that is being written, as a kill or a
// power cut would leave it.
func TestPlayableAtEveryInstant(t *testing.T) {
	dir := t.TempDir()
	var cuts []string
	for name, o := range sinks() {
		t.Run(name, func(t *testing.T) {
			path, cut := filepath.Join(dir, name+".bag"), filepath.Join(dir, name+"-cut.bag")
			cuts = append(cuts, cut)
			snap := testSnapshot()
			r, err := NewRecorder(path, snap, RecorderOptions{Bag: o})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			last := 0
			for i := range 30 {
				for _, s := range snap.Streams {
					if err := r.Frame(s.Sensor, testFrame(s.Profile, i, arrival(float64(i)*33))); err != nil {
						t.Fatal(err)
					}
				}
				data, err := os.ReadFile(path)
				if err != nil || os.WriteFile(cut, data, 0o666) != nil {
					t.Fatal(err)
				}
				f, err := Open(cut, Options{})
				if err != nil {
					t.Fatalf("after frame %d: %v", i, err)
				}
				n := len(walk(t, f))
				if len(f.Snapshot().Streams) != len(snap.Streams) || n < last {
					t.Fatalf("after frame %d: %d streams, %d events, had %d", i, len(f.Snapshot().Streams), n, last)
				}
				last = n
				f.Close()
			}
		})
	}
	playable(t, cuts...)
}
