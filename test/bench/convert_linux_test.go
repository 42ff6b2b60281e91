package bench

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/peer"
)

// BenchmarkConvert converts a recording of BENCH_GB gigabytes, depth and colour of 1280x720
// at 30 and an IMU at 400 Hz, from a bag to a .db3 and back, and compares with cp. TMPDIR
// needs room for four times the size. Writes end in the page cache. Reads begin there if the
// file fits, unless BENCH_COLD is set, which requires root.
func BenchmarkConvert(b *testing.B) {
	gb, err := strconv.ParseFloat(need.Variable(b, "BENCH_GB"), 64)
	need.Must(b, err)
	program, dir := peer.Released(b), b.TempDir()
	bag, db := filepath.Join(dir, "camera.bag"), filepath.Join(dir, "x.db3")
	back, copied := filepath.Join(dir, "back.bag"), filepath.Join(dir, "copy.bag")
	need.Must(b, recordCamera(bag, gb*1e9))
	for _, step := range []struct {
		name, in, out string
		args          []string
	}{
		{"cp", bag, copied, []string{"cp", bag, copied}},
		{"bag_to_db3", bag, db, []string{program, "convert", "-q", bag, "-o", db}},
		{"info_db3", db, "", []string{program, "info", db}},
		{"db3_to_bag", db, back, []string{program, "convert", "-q", db, "-o", back}},
	} {
		measure(b, step.name, step.in, step.out, step.args)
	}
}

// measure runs a command that reads the file in and creates out, which is removed before.
func measure(b *testing.B, name, in, out string, args []string) {
	b.Run(name, func(b *testing.B) {
		st, err := os.Stat(in)
		need.Must(b, err)
		b.SetBytes(st.Size())
		var cpu time.Duration
		var peak int64
		for b.Loop() {
			b.StopTimer()
			need.Must(b, os.RemoveAll(out))
			syscall.Sync()
			if os.Getenv("BENCH_COLD") != "" {
				need.Must(b, os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0))
			}
			b.StartTimer()
			cmd := exec.Command(args[0], args[1:]...)
			if text, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, text)
			}
			cpu += used(cmd)
			peak = max(peak, int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss))
		}
		perGB := 1e9 / float64(b.N) / float64(st.Size())
		b.ReportMetric(b.Elapsed().Seconds()*perGB, "s/GB")
		b.ReportMetric(cpu.Seconds()*perGB, "cpu-s/GB")
		b.ReportMetric(float64(peak)/1024, "peak-MiB")
	})
}

// recordCamera writes a recording whose pixels are noise.
func recordCamera(path string, size float64) error {
	const width, height = 1280, 720
	profile := func(kind camdriver.StreamKind, format camdriver.Format, fps int) camdriver.Profile {
		return camdriver.Profile{Stream: camdriver.StreamID{Kind: kind}, Format: format, Width: width, Height: height, FPS: fps, Default: true}
	}
	depth, colour := profile(camdriver.Depth, camdriver.Z16, 30), profile(camdriver.Color, camdriver.RGB8, 30)
	gyro := camdriver.Profile{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 400, Default: true}
	units := []camdriver.Option{{ID: camdriver.OptionDepthUnits, Value: 0.001}}
	exposure := []camdriver.Option{{ID: camdriver.OptionExposure, Value: 8500}}
	r, err := rsbag.NewRecorder(path, camdriver.DeviceSnapshot{
		Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Bench"}}, Reference: depth.Stream,
		Sensors: []camdriver.SensorSnapshot{{Name: "Stereo Module", Options: units}, {Name: "RGB Camera", Options: exposure}, {Name: "Motion Module", Options: exposure}},
		Streams: []camdriver.StreamSnapshot{{Profile: depth}, {Sensor: 1, Profile: colour}, {Sensor: 2, Profile: gyro}},
	}, rsbag.RecorderOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	noise := make([]byte, 2*width*height*3)
	rand.NewChaCha8([32]byte{}).Read(noise)
	start := time.Unix(1700000000, 0)
	for n := 0; float64(r.Size()) < size; n++ {
		for sensor, p := range []camdriver.Profile{depth, colour, gyro} {
			count := max(p.FPS/30, 1)
			for i := range count {
				f := camdriver.NewFrame(nil)
				f.Profile, f.Number = p, uint64(n*count+i)
				f.Arrival = start.Add(time.Duration(n)*time.Second/30 + time.Duration(i)*time.Second/time.Duration(max(p.FPS, 30)))
				f.Timestamp, f.Domain = float64(f.Arrival.UnixMicro())/1000, camdriver.GlobalTime
				for k := range camdriver.MetaExposurePriority {
					f.Metadata = append(f.Metadata, camdriver.MetadataValue{Key: k, Value: int64(n)})
				}
				if p.Stream.Kind.Video() {
					f.Width, f.Height, f.Stride = width, height, width*p.Format.BitsPerPixel()/8
					f.Data, f.DepthUnits = noise[n*4096%(len(noise)/2):][:p.FrameSize()], 0.001
				}
				if err := r.Frame(sensor, f); err != nil {
					return err
				}
			}
		}
	}
	return r.Close()
}
