//go:build linux

// Command convert measures converting a large RealSense recording from a bag to a .db3 and back,
// info of the .db3, and a plain copy beside them: MB/s, processor time a GB, peak memory. Each round
// runs all of them once.
//
//	go run ./test/bench/convert [-gb 10] [-rounds 2] [-dir FOLDER]
//
// The folder needs room for three times the size. The recording, of depth and colour of 1280x720 at 30
// and an IMU at 400 Hz, stays there for the next time. What is written waits in the page cache; what is
// read comes from there if it fits, unless -cold empties it first, for which the program needs root.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
)

var (
	gb     = flag.Float64("gb", 10, "size of the recording in GB")
	rounds = flag.Int("rounds", 2, "how often each command is measured")
	dir    = flag.String("dir", filepath.Join(os.TempDir(), "rs-ros-node-bench"), "where the files are")
	cold   = flag.Bool("cold", false, "empty the page cache before each command")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	if err := os.MkdirAll(*dir, 0o755); err != nil { //nolint:gosec // data of a benchmark
		return err
	}
	program := filepath.Join(*dir, "rs-ros-node")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/rs-ros-node").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w: %s", err, out)
	}
	bag := filepath.Join(*dir, fmt.Sprintf("camera-%g.bag", *gb))
	if _, err := os.Stat(bag); errors.Is(err, fs.ErrNotExist) {
		if err := record(bag); err != nil {
			return err
		}
	}
	db, back, copied := filepath.Join(*dir, "x.db3"), filepath.Join(*dir, "back.bag"), filepath.Join(*dir, "copy.bag")
	for _, left := range []string{db, back, copied} {
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	fmt.Println("command         seconds      MB/s  CPU s/GB  peak MiB")
	for range *rounds {
		for _, step := range []struct {
			name, in, out string
			args          []string
		}{
			{"cp", bag, copied, []string{"cp", bag, copied}},
			{".bag to .db3", bag, db, []string{program, "convert", "-q", bag, db}},
			{"info .db3", db, "", []string{program, "info", db}},
			{".db3 to .bag", db, back, []string{program, "convert", "-q", db, back}},
		} {
			if err := measure(step.name, step.in, step.out, step.args); err != nil {
				return err
			}
			if step.out != db && step.out != "" {
				if err := os.Remove(step.out); err != nil {
					return err
				}
			}
		}
		if err := os.Remove(db); err != nil {
			return err
		}
	}
	return nil
}

// measure runs a command that reads a file and prints its figures.
func measure(name, in, out string, args []string) error {
	st, err := os.Stat(in)
	if err != nil {
		return err
	}
	syscall.Sync()
	if *cold {
		if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
			return err
		}
	}
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // our own
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	seconds, size := time.Since(start).Seconds(), float64(st.Size())
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("this system doesn't count what a process uses")
	}
	cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	fmt.Printf("%-14s %8.3f %9.0f %9.2f %9.0f\n", name, seconds, size/1e6/seconds, cpu/size*1e9, float64(usage.Maxrss)/1024)
	return nil
}

// record writes the recording. Its pixels are noise, of which each frame has another part.
func record(path string) error {
	const width, height = 1280, 720
	profile := func(kind camdriver.StreamKind, format camdriver.Format, fps int) camdriver.Profile {
		return camdriver.Profile{Stream: camdriver.StreamID{Kind: kind}, Format: format, Width: width, Height: height, FPS: fps, Default: true}
	}
	depth, colour := profile(camdriver.Depth, camdriver.Z16, 30), profile(camdriver.Color, camdriver.RGB8, 30)
	gyro := camdriver.Profile{Stream: camdriver.StreamID{Kind: camdriver.Gyro}, Format: camdriver.MotionXYZ32F, FPS: 400, Default: true}
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
	noise := make([]byte, 2*width*height*3)
	random := rand.NewChaCha8([32]byte{})
	random.Read(noise) //nolint:errcheck // it never fails
	start := time.Unix(1700000000, 0)
	for n := 0; float64(r.Size()) < *gb*1e9; n++ {
		for _, p := range []camdriver.Profile{gyro, depth, colour} {
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
				if err := r.Frame(map[camdriver.StreamKind]int{camdriver.Color: 1, camdriver.Gyro: 2}[p.Stream.Kind], f); err != nil {
					return errors.Join(err, r.Close())
				}
			}
		}
	}
	return r.Close()
}
