package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestCameras checks that each form has the images and the calibration of each camera in their place.
func TestCameras(t *testing.T) {
	for _, c := range []struct{ topics, cameras []string }{
		{[]string{"front/color.raw", "robot1/wrist/depth.raw", "front/depth.raw", "robot1/wrist/color.raw"}, []string{"front", "robot1/wrist"}},
		{[]string{"robot1/wrist/depth.rvl", "camera/camera/color.raw", "robot1/wrist/color.png", "front/depth.png", "camera/camera/depth.raw", "front/color.png"},
			[]string{"camera/camera", "front", "robot1/wrist"}},
	} {
		in := samplebag.Cameras(t, c.topics...)
		for _, form := range []string{"tum", "euroc"} {
			dir := whole(t, Options{In: []string{in}, Form: form})
			list := readManifest(t, dir).Sequences
			if len(list) != len(c.cameras) {
				t.Fatalf("%s: %d sequences, want %v", form, len(list), c.cameras)
			}
			for i, s := range list {
				name, v := strings.ReplaceAll(c.cameras[i], "/", "_"), samplebag.CameraValue(c.cameras[i])
				if s.Folder != name || s.Sets != samplebag.CameraFrames || s.LeftOut > 0 || s.Streams[0].Lens["fx"] != float64(v) {
					t.Errorf("%s: %s: %+v", form, name, s)
				}
				files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(s.Streams[0].Place), "data", "*.png"))
				if form == "tum" {
					files, err = filepath.Glob(filepath.Join(dir, name, "rgb", "*.png"))
				}
				need.Must(t, err)
				if len(files) != samplebag.CameraFrames || pixels(t, files[0])[0] != v {
					t.Errorf("%s: %s: %d images", form, name, len(files))
				}
			}
		}
		dir := whole(t, Options{In: []string{in}, Form: "kalibr"})
		s := readManifest(t, dir).Sequences
		bag := samplebag.Open(t, filepath.Join(dir, "kalibr.bag"))
		if n := uint64(samplebag.CameraFrames * len(c.cameras)); len(s) != 1 || s[0].Sets != samplebag.CameraFrames || bag.MessageCount() != n {
			t.Errorf("kalibr: %d messages, %+v", bag.MessageCount(), s)
		}
		for i, e := range s[0].Streams {
			if e.Camera == "" || e.Place != fmt.Sprintf("cam%d", i) {
				t.Errorf("kalibr: %+v", e)
			}
		}
		dir = whole(t, Options{In: []string{in}, Form: "tum", Camera: "front"})
		if s := readManifest(t, dir).Sequences; len(s) != 1 || s[0].Folder != "" || s[0].Streams[0].Lens["fx"] != 50. {
			t.Errorf("front: %+v", s)
		}
	}
	in := samplebag.Cameras(t, "front/color.raw", "front/depth.raw", "robot1/wrist/color.raw")
	if _, err := make1(t, Options{In: []string{in}, Form: "tum"}); !isLoss(err) || !strings.Contains(err.Error(), "Depth_0") {
		t.Errorf("a camera without depth: %v", err)
	}
	if _, err := make1(t, Options{In: []string{in}, Form: "tum", Camera: "side"}); !errors.Is(err, rsbag.ErrCamera) {
		t.Errorf("an unknown camera: %v", err)
	}
}

// TestCameraGap checks that a set is left out if another camera has no image near it.
func TestCameraGap(t *testing.T) {
	in := filepath.Join(t.TempDir(), "gap.bag")
	w := samplebag.Create(t, in, bagstore.Options{})
	n := 0
	samplebag.Each(t, func(m bagstore.Message) {
		if m.Conn.Topic == "/robot1/wrist/color/image_raw" {
			if n++; n > 3 && n < 7 {
				return
			}
		}
		w.Put(*m.Conn, m.Time, m.Data)
	}, samplebag.Open(t, samplebag.Cameras(t, "front/color.raw", "robot1/wrist/color.raw")))
	w.Done()
	dir, err := make1(t, Options{In: []string{in}, Form: "kalibr"})
	if !isLoss(err) {
		t.Fatal(err)
	}
	left, err := os.ReadFile(filepath.Join(dir, "left_out.csv"))
	if s := readManifest(t, dir).Sequences[0]; err != nil || s.Sets != samplebag.CameraFrames-3 || strings.Count(string(left), "the nearest set of robot1/wrist is 100ms away") < 2 {
		t.Errorf("%d sets, %v\n%s", s.Sets, err, left)
	}
}
