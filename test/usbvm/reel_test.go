//go:build !usbvm

package usbvm

import (
	"cmp"
	"os"
	"reflect"
	"testing"

	"rsros/camdriver"
	"rsros/camdriver/model"
	"rsros/test/need"
	"rsros/usbcam/d435i"
)

// TestReel: a reel is read as it was written, and has every frame. run.sh sets USBVM_REEL to keep it for the machine.
func TestReel(t *testing.T) {
	dir := cmp.Or(os.Getenv("USBVM_REEL"), t.TempDir())
	need.Must(t, Shoot(dir))
	r, err := LoadReel(dir)
	need.Must(t, err)
	again := t.TempDir()
	need.Must(t, r.save(again))
	if same, err := LoadReel(again); err != nil || !reflect.DeepEqual(same, r) {
		t.Errorf("another reel is read: %v", err)
	}
	for _, p := range images {
		for n := range uint32(FPS) {
			if got := len(r.Image(p.Stream, n+1)); got != p.FrameSize() {
				t.Fatalf("%v: frame %d has %d bytes, want %d", p.Stream, n+1, got, p.FrameSize())
			}
		}
	}
	for code, size := range map[string]int{"Y8I ": 2 * StereoWidth * StereoHeight, "YUY2": 2 * ColorWidth * ColorHeight} {
		m := d435i.Mode{Code: code, W: StereoWidth, H: StereoHeight}
		if code == "YUY2" {
			m.W, m.H = ColorWidth, ColorHeight
		}
		dst := make([]byte, size)
		if r.Pixels(m, FPS, dst); dst[size-1] == 0 {
			t.Errorf("%s: the last pixel is missing", code)
		}
	}
	depth := r.Intrinsics["Depth_0"]
	if k := r.Tables.Depth.Rectified[model.ImageSize{StereoWidth, StereoHeight}]; k != (model.Pinhole{Fx: depth.Fx, Fy: depth.Fy, Ppx: depth.Ppx, Ppy: depth.Ppy}) || depth.Fx == 0 {
		t.Errorf("depth's intrinsics are %v and %v", k, depth)
	}
	if len(r.Gyro) != GyroRate || len(r.Accel) != AccelRate || r.FromDepth["Infrared_2"] == (camdriver.Extrinsics{}) {
		t.Errorf("%d and %d samples, %v", len(r.Gyro), len(r.Accel), r.FromDepth["Infrared_2"])
	}
}
