package imunoise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/tools/bagset"
	"rsros/bagstore/tools/convert"
	"rsros/camdriver"
	"rsros/test/need"
	"rsros/test/samplebag"
)

// within reports values that are off by more than 5 %.
func within(t *testing.T, s *Sensor, n samplebag.Noise) {
	t.Helper()
	for what, got := range map[string]float64{"density": s.Density.Value / n.Density, "random walk": s.Walk.Value / n.Walk, "rate": s.Rate / n.Hz} {
		if !(math.Abs(got-1) <= 0.05) {
			t.Errorf("%s is %v times that of the noise", what, got)
		}
	}
}

func TestKnownNoise(t *testing.T) {
	for name, n := range map[string]samplebag.Noise{
		"a good gyroscope":      {Density: 1e-4, Walk: 1e-5, Hz: 100, Seconds: 3 * 3600},
		"a good accelerometer":  {Density: 2e-3, Walk: 3e-4, Hz: 63, Seconds: 3 * 3600},
		"noisy":                 {Density: 0.02, Walk: 4e-3, Hz: 100, Seconds: 2 * 3600},
		"fast":                  {Density: 1e-3, Walk: 3e-4, Hz: 400, Seconds: 1800},
		"uneven stamps":         {Density: 2e-3, Walk: 4e-4, Hz: 100, Seconds: 2 * 3600, Jitter: 0.15},
		"lost samples":          {Density: 2e-3, Walk: 4e-4, Hz: 100, Seconds: 2 * 3600, Lost: 0.05, Jitter: 0.1},
		"a gap":                 {Density: 2e-3, Walk: 4e-4, Hz: 100, Seconds: 2 * 3600, Gap: 20},
		"a gap as long as both": {Density: 2e-3, Walk: 4e-4, Hz: 100, Seconds: 2 * 3600, Gap: 7000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMeter("/imu", 1)
			n.Samples(2, m.add)
			s, err := m.sensor("rad/s")
			if err != nil {
				t.Fatal(err)
			}
			within(t, s, n)
			if n.Lost > 0 && math.Abs(float64(s.Missing)/float64(s.Samples+s.Missing)-n.Lost) > 0.005 {
				t.Errorf("%d of %d samples are missing", s.Missing, s.Samples)
			}
			if n.Gap > 1000 && s.Gaps != 1 {
				t.Errorf("%d gaps", s.Gaps)
			}
		})
	}
}

// TestDefinition: the curve is that of a program that has all samples in memory and uses the
// definition. Long clusters begin at fewer samples than its do.
func TestDefinition(t *testing.T) {
	m := newMeter("/imu", 1)
	file, err := os.Create(filepath.Join(t.TempDir(), "x.txt"))
	if err != nil {
		t.Fatal(err)
	}
	samplebag.Noise{Density: 2e-3, Walk: 1e-3, Hz: 100, Seconds: 200}.Samples(1, func(at int64, v [3]float64) {
		m.add(at, v)
		fmt.Fprintln(file, v[0])
	})
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	m.grid.finish()
	args := []string{"testdata/allan.py", file.Name()}
	curve := m.allan.curve()
	for _, v := range curve {
		args = append(args, fmt.Sprint(v.slots))
	}
	out, err := exec.CommandContext(t.Context(), need.Python(t), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(curve) || len(curve) < 30 {
		t.Fatalf("%d lines for %d points", len(lines), len(curve))
	}
	for i, v := range curve {
		var want float64
		if _, err := fmt.Sscan(lines[i], &want); err != nil {
			t.Fatal(err)
		}
		got, off := math.Sqrt(v.axes[0]), 1e-9
		if v.slots > maxSteps {
			off = 0.02
		}
		if math.Abs(got/want-1) > off {
			t.Errorf("clusters of %v samples: deviation %v, want %v", v.slots, got, want)
		}
	}
}

// writeRealSense records the same as the SDK would.
func writeRealSense(t *testing.T, path string, gyro, accel samplebag.Noise) {
	t.Helper()
	var snap camdriver.DeviceSnapshot
	snap.Info = []camdriver.Info{{Key: camdriver.InfoName, Value: "Intel RealSense D435I"}}
	var profiles []camdriver.Profile
	for kind, n := range map[camdriver.StreamKind]samplebag.Noise{camdriver.Gyro: gyro, camdriver.Accel: accel} {
		p := camdriver.Profile{Stream: camdriver.StreamID{Kind: kind}, Format: camdriver.MotionXYZ32F, FPS: int(n.Hz)}
		profiles = append(profiles, p)
		snap.Streams = append(snap.Streams, camdriver.StreamSnapshot{Profile: p})
	}
	snap.Sensors = []camdriver.SensorSnapshot{{Name: "Motion Module", Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Motion Module"}}, Profiles: profiles}}
	r, err := rsbag.NewRecorder(path, snap, rsbag.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []samplebag.Noise{gyro, accel} {
		kind := []camdriver.StreamKind{camdriver.Gyro, camdriver.Accel}[i]
		number := uint64(0)
		n.Samples(uint64(3+i), func(at int64, v [3]float64) {
			f := &camdriver.Frame{Profile: camdriver.Profile{Stream: camdriver.StreamID{Kind: kind}, Format: camdriver.MotionXYZ32F, FPS: int(n.Hz)},
				Number: number, Timestamp: float64(at) / 1e6, Domain: camdriver.GlobalTime, Arrival: time.Unix(0, at)}
			if number++; kind == camdriver.Gyro {
				f.Motion.Gyro = v
			} else {
				f.Motion.Accel = v
			}
			if err := r.Frame(0, f); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, in string, s bagset.Selection) (*Report, error) {
	return Run(t.Context(), Options{In: in, Selection: s, Log: zerolog.New(zerolog.NewTestWriter(t))})
}

// TestRecordings: the same samples are the same noise in all containers and layouts.
func TestRecordings(t *testing.T) {
	gyro := samplebag.Noise{Density: 1e-3, Walk: 5e-4, Hz: 100, Seconds: 600}
	accel := samplebag.Noise{Density: 0.01, Walk: 0.01, Hz: 50, Seconds: 600}
	dir := t.TempDir()
	bag := filepath.Join(dir, "node.bag")
	samplebag.WriteIMU(t, bag, gyro, accel, false)
	files := map[string]string{".bag": bag}
	for _, ext := range []string{".mcap", ".db3"} {
		files[ext] = filepath.Join(dir, "node"+ext)
		if _, err := convert.Messages(t.Context(), convert.Options{In: bag, Out: files[ext]}); err != nil {
			t.Fatal(err)
		}
	}
	files["SDK .bag"] = filepath.Join(dir, "sdk.bag")
	writeRealSense(t, files["SDK .bag"], gyro, accel)
	files["SDK .db3"] = filepath.Join(dir, "sdk.db3")
	if _, err := convert.ToDB3(t.Context(), convert.Options{In: files["SDK .bag"], Out: files["SDK .db3"]}); err != nil {
		t.Fatal(err)
	}
	accel.Hz = gyro.Hz
	files["united"] = filepath.Join(dir, "united.bag")
	samplebag.WriteIMU(t, files["united"], gyro, accel, true)
	accel.Hz = 50
	var first *Report
	for _, name := range []string{".bag", ".mcap", ".db3", "SDK .bag", "SDK .db3", "united"} {
		r, err := run(t, files[name], bagset.Selection{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if first == nil {
			first = r
		}
		for i, s := range []*Sensor{r.Gyroscope, r.Accelerometer} {
			want := []*Sensor{first.Gyroscope, first.Accelerometer}[i]
			if name == "united" {
				continue
			}
			// An SDK's stamps and values are rounded.
			if math.Abs(s.Density.Value/want.Density.Value-1) > 1e-4 || math.Abs(s.Walk.Value/want.Walk.Value-1) > 1e-3 || s.Samples != want.Samples {
				t.Errorf("%s: %v %v, want %v %v", name, s.Density, s.Walk, want.Density, want.Walk)
			}
		}
		if math.Abs(r.Gyroscope.Density.Value/gyro.Density-1) > 0.05 || math.Abs(r.Accelerometer.Density.Value/accel.Density-1) > 0.05 {
			t.Errorf("%s: %+v %+v", name, r.Gyroscope.Axis, r.Accelerometer.Axis)
		}
	}
	if r, err := run(t, bag, bagset.Selection{Topics: []string{"/camera/gyro/sample"}}); r == nil || err == nil || !strings.Contains(err.Error(), "there is no accelerometer") {
		t.Errorf("without an accelerometer: %v", err)
	}
}

// TestRefused: what says nothing of noise is an error that says why.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	good := samplebag.Noise{Density: 1e-3, Walk: 1e-3, Hz: 100, Seconds: 200}
	write := func(name string, gyro, accel samplebag.Noise) string {
		path := filepath.Join(dir, name+".bag")
		samplebag.WriteIMU(t, path, gyro, accel, false)
		return path
	}
	moved := good
	moved.Walk = 0.2
	short := good
	short.Seconds = 0.5
	for name, c := range map[string]struct {
		path string
		want error
		text string
	}{
		"moved":  {write("moved", moved, good), ErrMoved, "more than 0.05 rad/s"},
		"short":  {write("short", short, short), ErrShort, "50 samples"},
		"walks":  {samplebag.Data(t, "sw_small_lz4.bag"), ErrMoved, ""},
		"no IMU": {samplebag.Robot(t, "robot.bag"), ErrNoSensor, ""},
	} {
		if r, err := run(t, c.path, bagset.Selection{}); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || r != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := run(t, write("no walk", samplebag.Noise{Density: 2e-3, Walk: 1e-6, Hz: 100, Seconds: 60}, good), bagset.Selection{})
	if _, ok := errors.AsType[*bagset.LossError](err); !ok || r == nil || r.Gyroscope.Walk.Value != 0 || !strings.Contains(err.Error(), "60 s are too short for the random walk of the gyroscope") {
		t.Errorf("%v", err)
	}
	if text := r.YAML(); !strings.Contains(text, "# gyroscope_random_walk: ") || strings.Contains(text, "\ngyroscope_random_walk") {
		t.Error(text)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{In: samplebag.Data(t, "sw_small_lz4.bag"), Log: zerolog.Nop()}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzSamples: no stamps or values make the meter hang, fail or grow.
func FuzzSamples(f *testing.F) {
	f.Add(int64(0), int64(5_000_000), int64(1<<62), 0.0, 9.8, 1e300, uint16(3000))
	f.Add(int64(-1<<63), int64(-1), int64(1), math.NaN(), math.Inf(1), 0.0, uint16(1100))
	f.Fuzz(func(t *testing.T, at, step, jump int64, x, y, z float64, n uint16) {
		m := newMeter("/imu", 1)
		for i := range int64(n) % 4096 {
			if i%1000 == 999 {
				at += jump
			}
			at += step
			m.add(at, [3]float64{x, y * float64(i), z})
		}
		s, err := m.sensor("")
		if err == nil {
			_, err = json.Marshal(s)
			if err != nil {
				t.Error(err)
			}
		}
	})
}
