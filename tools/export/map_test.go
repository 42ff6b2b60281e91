package export

import (
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/rig"
	"rsros/test/samplebag"
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

// A stream of a kind that export doesn't know is named, and isn't taken for damage.
func TestExportUnknownKind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.bag")
	w := samplebag.Create(t, path, bagstore.Options{})
	head := msgs.ImageHead{Width: 2, Height: 1, Encoding: "mono8", Step: 2, DataLen: 2}
	w.Put(samplebag.Topic("/file_version", "std_msgs/UInt32"), 1, []byte{3, 0, 0, 0})
	w.Put(samplebag.Topic("/device_0/sensor_0/info", "diagnostic_msgs/KeyValue"), 1, msgs.Marshal(&msgs.KeyValue{Key: "Name", Value: "AI"}))
	w.Put(samplebag.Topic("/device_0/sensor_0/Object_Detection_0/image/data", "sensor_msgs/Image"), 1e6, msgs.Marshal(&head), []byte{1, 2})
	w.Done()
	_, err := Run(t.Context(), Options{Bag: path, Dir: filepath.Join(t.TempDir(), "out")})
	if want := "stream Object_Detection_0 of 1 frames, of a kind that export doesn't know"; outcomeOf(err) != incomplete || !strings.HasSuffix(err.Error(), ": "+want) {
		t.Errorf("%v, want %s", err, want)
	}
}
