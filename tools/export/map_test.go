package export

import (
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/test/rig"
)

// A map is exported as an image; the manifest says where its cells lie.
func TestExportMaps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	want(t, whole, Options{Bag: rig.MapBag(t), Dir: dir})
	if img := readPNG(t, filepath.Join(dir, "Occupancy_0", "000003.png")); img.Bounds().Dx() != 4 || img.At(3, 0) != (color.Gray{Y: 100}) {
		t.Errorf("img %v", img)
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if want := `"map":{"resolution_m":0.5,"origin_m":[0,0,0],"orientation_xyzw":[0,0,0,1]}`; err != nil || !strings.Contains(string(manifest), want) {
		t.Errorf("%v, no %s in %s", err, want, manifest)
	}
}
