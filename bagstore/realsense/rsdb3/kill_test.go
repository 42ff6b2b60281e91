package rsdb3

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/peer"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("RSDB3_RECORDER"); path != "" {
		recordUntilKilled(path)
		return
	}
	os.Exit(m.Run())
}

var (
	depth  = camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 64, Height: 48, FPS: 30}
	gyro   = camdriver.Profile{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 200}
	device = camdriver.DeviceSnapshot{
		Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Camera"}},
		Sensors: []camdriver.SensorSnapshot{
			{Name: "Stereo Module", Options: []camdriver.Option{{ID: camdriver.OptionExposure, Value: 8500, Description: "Exposure"}}},
			{Name: "Motion Module"},
		},
		Streams: []camdriver.StreamSnapshot{{Sensor: 0, Profile: depth}, {Sensor: 1, Profile: gyro}},
	}
)

// recordUntilKilled runs in a second process: it records at full speed, commits every few milliseconds,
// prints how many frames are safe, and never stops.
func recordUntilKilled(path string) {
	start := time.Now()
	w, err := NewRecorder(path, device, Options{}, rsbag.RecorderOptions{
		Program: "test", Bag: bagstore.Options{Checkpoint: time.Millisecond, NoSync: os.Getenv("RSDB3_NOSYNC") != ""}}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(0)
	pixels := make([]byte, depth.FrameSize())
	for i := 0; ; i++ {
		f := &camdriver.Frame{Profile: depth, Number: uint64(i), Arrival: start.Add(time.Duration(i) * time.Millisecond), Data: pixels,
			Width: depth.Width, Height: depth.Height, Stride: 2 * depth.Width}
		if i%3 == 1 {
			f.Profile, f.Data = gyro, nil
			f.Arrival = f.Arrival.Add(-5 * time.Millisecond) // streams come a little out of order
		}
		if err := w.Frame(i%3%2, f); err != nil {
			panic(err)
		}
		if i%50 == 0 {
			if err := w.Option(0, camdriver.OptionExposure, float32(i), f.Arrival); err != nil {
				panic(err)
			}
			fmt.Println(i)
		}
	}
}

// TestKill kills recorders at random times. The file must satisfy SQLite and the rules of the SDK's
// reader, and contain everything committed.
func TestKill(t *testing.T) {
	need.Programs(t, "sqlite3")
	rnd := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for i := range 8 {
		path := filepath.Join(dir, fmt.Sprintf("%d.db3", i))
		cmd := peer.Again()
		cmd.Env = append(os.Environ(), "RSDB3_RECORDER="+path)
		if i%2 == 0 {
			cmd.Env = append(cmd.Env, "RSDB3_NOSYNC=1")
		}
		said := peer.Kill(t, cmd, rnd, 40)
		if got, err := exec.Command("sqlite3", "-readonly", path, "PRAGMA integrity_check").CombinedOutput(); err != nil || strings.TrimSpace(string(got)) != "ok" {
			t.Errorf("kill %d: %v: %s", i, err, got)
		}
		if list := rules(t, path); list != nil {
			t.Errorf("kill %d: rules %d", i, list)
		}
		t.Logf("kill %d: after %s frames", i, said)
		leftovers, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(leftovers) != i+1 {
			t.Errorf("files %q, %v", leftovers, err)
		}
	}
}
