package export

import (
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/test/need"
)

// A recording of Orbbec's SDK becomes images and tables of its streams, with their calibration.
func TestOrbbec(t *testing.T) {
	bag, dir := filepath.Join(t.TempDir(), "orbbec.bag"), filepath.Join(t.TempDir(), "out")
	if out, err := exec.Command(need.Python(t, "rosbag"), "../../orbbec/testdata/write.py", bag).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := Run(t.Context(), Options{Bag: bag, Dir: dir, Log: zerolog.New(zerolog.NewTestWriter(t))}); err != nil {
		t.Fatal(err)
	}
	var m struct {
		Files   []manifestFile
		Device  map[string]string
		Streams []manifestStream
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if m.Device["Serial Number"] != "CP0000000001" || len(m.Files) != 9 || len(m.Streams) != 3 {
		t.Fatalf("device %v, %d files, %d streams", m.Device, len(m.Files), len(m.Streams))
	}
	for i, number := range []uint64{0, 1, 2, 4, 5, 6} {
		file, err := os.Open(filepath.Join(dir, fmt.Sprintf("Depth/%06d.png", i)))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		img, err := png.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		for p := range 12 {
			if got := img.(*image.Gray16).Gray16At(p%4, p/4).Y; got != uint16(1000*i+p) {
				t.Fatalf("depth image %d, pixel %d is %d", i, p, got)
			}
		}
		for _, f := range m.Files {
			if f.File == fmt.Sprintf("Depth/%06d.png", i) && (f.Number != number || f.Units != 0.00025 || f.Domain != "Global Time" || f.Stamp != 1_700_000_100_500+33*float64(i)) {
				t.Errorf("%+v", f)
			}
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "Color/000002.jpg")); err != nil || string(b) != "\xff\xd8\xff\x04" {
		t.Errorf("a JPEG is %q, %v", b, err)
	}
	table, err := os.ReadFile(filepath.Join(dir, "Gyro.csv"))
	if lines := strings.Split(string(table), "\n"); err != nil || len(lines) != 7 || lines[3] != "100010000000,2,100010,Hardware Clock,0.5,-1.25,2,36.5" {
		t.Errorf("%q, %v", table, err)
	}
}
