package bench

import (
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/peer"
	"rsros/test/samplebag"
)

// BenchmarkTUM makes TUM's layout of a camera node's bag of BENCH_GB gigabytes, depth and colour of
// 848x480 with noise, beside a Python script. TMPDIR needs room for three times the size. Reads begin
// in the page cache if the bag fits, and writes end there.
func BenchmarkTUM(b *testing.B) {
	gb, err := strconv.ParseFloat(need.Variable(b, "BENCH_GB"), 64)
	need.Must(b, err)
	program, python, dir := peer.Released(b), need.Python(b, "rosbag", "PIL"), b.TempDir()
	bag, out := filepath.Join(dir, "camera.bag"), filepath.Join(dir, "out")
	recordImages(b, bag, int64(gb*1e9))
	for _, step := range []struct {
		name string
		args []string
	}{
		{"cp", []string{"cp", bag, out}},
		{"png", []string{program, "export", "-q", bag, "--as", "tum", "-o", out}},
		{"uncompressed", []string{program, "export", "-q", bag, "--as", "tum", "-o", out, "--uncompressed"}},
		{"python_level_1", []string{python, "testdata/export.py", bag, out, "1"}},
		{"python_uncompressed", []string{python, "testdata/export.py", bag, out, "0"}},
		{"python_default", []string{python, "testdata/export.py", bag, out, "6"}},
	} {
		measure(b, step.name, bag, out, step.args)
	}
}

// recordImages writes a bag of a slanted plane with noise.
func recordImages(b *testing.B, path string, size int64) {
	b.Helper()
	const width, height = 848, 480
	w := samplebag.Create(b, path, bagstore.Options{Checkpoint: -1})
	type camera struct {
		name, encoding string
		bytes          int // a pixel
		scenes         [8][]byte
		image, info    bagstore.Connection
	}
	cameras := []*camera{{name: "color", encoding: "rgb8", bytes: 3}, {name: "depth", encoding: "16UC1", bytes: 2}}
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range cameras {
		c.image, c.info = samplebag.Topic("/camera/"+c.name+"/image_raw", "sensor_msgs/Image"), samplebag.Topic("/camera/"+c.name+"/camera_info", "sensor_msgs/CameraInfo")
		for i := range c.scenes {
			for p := range width * height {
				v := 40*i + p%width/4 + p/width/3
				if c.bytes == 2 {
					v += 1000 + r.IntN(4)
					c.scenes[i] = append(c.scenes[i], byte(v), byte(v>>8))
					continue
				}
				for range 3 {
					c.scenes[i] = append(c.scenes[i], byte((v+r.IntN(6))/4))
				}
			}
		}
	}
	var e msgs.Encoder
	for n := 0; w.Size() < size; n++ {
		at := int64(1_700_000_000_000_000_000) + int64(n)*33_333_333
		for _, c := range cameras {
			h := msgs.Header{Seq: uint32(n), Stamp: msgs.Time(at), FrameID: "camera"}
			info := msgs.CameraInfo{Header: h, Width: width, Height: height, DistortionModel: "plumb_bob", D: make([]float64, 5), K: [9]float64{600, 0, 424, 0, 600, 240, 0, 0, 1}}
			e.B = e.B[:0]
			e.Message(&info)
			w.Put(c.info, bagstore.Time(at), e.B)
			pixels := c.scenes[n%len(c.scenes)]
			head := msgs.ImageHead{Header: h, Width: width, Height: height, Encoding: c.encoding, Step: uint32(width * c.bytes), DataLen: uint32(len(pixels))}
			e.B = e.B[:0]
			head.Append(&e)
			w.Put(c.image, bagstore.Time(at), e.B, pixels)
		}
	}
	w.Done()
}
