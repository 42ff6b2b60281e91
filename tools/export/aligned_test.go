package export

import (
	"fmt"
	"path/filepath"
	"testing"

	"rsros/test/rig"
	"rsros/tools/bagset"
)

// TestExportAligned checks that each set has a 16-bit image with librealsense's pixels
// and colour's calibration.
func TestExportAligned(t *testing.T) {
	golden := rig.ReadDifficult(t, "../..")
	dir := filepath.Join(t.TempDir(), "out")
	want(t, whole, Options{Bag: golden.Bag, Dir: dir, Aligned: true})
	m := readManifest(t, dir)
	intrinsics := map[string]map[string]any{}
	for _, s := range m.Streams {
		intrinsics[s.Name] = s.Intrinsics
	}
	const name = "Depth_0_aligned_to_Color_0"
	if in := intrinsics[name]; in == nil || fmt.Sprint(in) != fmt.Sprint(intrinsics["Color_0"]) {
		t.Errorf("aligned depth has intrinsics %v, colour %v", in, intrinsics["Color_0"])
	}
	files, compared := 0, 0
	for _, f := range m.Files {
		if f.Stream != name {
			continue
		}
		if f.Number != uint64(100+files) || f.ColourOf == nil || *f.ColourOf != f.Number || float32(f.Depth) != 0.001 || f.File != fmt.Sprintf("%s/%06d.png", name, files) {
			t.Errorf("file %d is %+v", files, f)
		}
		files++
		if hash, ok := golden.Cases["align_color"][f.Number]; ok {
			compared++
			if got := imageHash(t, filepath.Join(dir, f.File)); got != hash {
				t.Errorf("%s has hash %s, librealsense's %s", f.File, got, hash)
			}
		}
	}
	if files != 16 || compared == 0 {
		t.Errorf("%d files, %d compared, want 16", files, compared)
	}
}

// Without colour there is nothing to align to: the rest is exported.
func TestExportAlignedWithoutColour(t *testing.T) {
	golden := rig.ReadDifficult(t, "../..")
	dir := filepath.Join(t.TempDir(), "out")
	want(t, whole, Options{Bag: golden.Bag, Dir: dir, Aligned: true, Selection: bagset.Selection{Exclude: []string{".*Color.*"}}})
	if m := readManifest(t, dir); len(m.Files) != 32 || len(m.Streams) != 2 {
		t.Errorf("%d files of %d streams, want 32 of 2", len(m.Files), len(m.Streams))
	}
}
