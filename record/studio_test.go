package record

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/test/need"
)

// The test device: two streams of small frames that a test raises one by one, at times of its choice.
var (
	depth0  = camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 64, Height: 32, FPS: 30}
	color0  = camdriver.Profile{Stream: camdriver.ColorStream, Format: camdriver.RGB8, Width: 64, Height: 32, FPS: 30}
	began   = time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)
	spacing = time.Second / 30
)

type testDevice struct {
	camdriver.Device
	sensors []camdriver.Sensor
}

func (d *testDevice) Info() []camdriver.Info {
	return []camdriver.Info{{Key: camdriver.InfoName, Value: "Test Camera"}, {Key: camdriver.InfoSerialNumber, Value: "7"}}
}

func (d *testDevice) Sensors() []camdriver.Sensor { return d.sensors }

func (d *testDevice) Extrinsics(camdriver.StreamID, camdriver.StreamID) (camdriver.Extrinsics, error) {
	return camdriver.Identity(), nil
}

type testSensor struct {
	camdriver.Sensor
	name string
}

func (s testSensor) Name() string           { return s.name }
func (s testSensor) Info() []camdriver.Info { return nil }

func (s testSensor) Options() []camdriver.Option {
	return []camdriver.Option{{ID: camdriver.OptionExposure, Value: 1, Description: "exposure"}, {ID: camdriver.OptionDepthUnits, Value: 0.001}}
}

func (s testSensor) Option(id camdriver.OptionID) (camdriver.Option, bool) {
	return camdriver.FindOption(s.Options(), id)
}

func (s testSensor) MotionIntrinsics(camdriver.Profile) (camdriver.MotionIntrinsics, error) {
	return camdriver.MotionIntrinsics{}, camdriver.ErrUnsupported
}

func (s testSensor) Filters() []string { return []string{"Decimation Filter"} }

func (s testSensor) Intrinsics(p camdriver.Profile) (camdriver.Intrinsics, error) {
	return camdriver.Intrinsics{Width: p.Width, Height: p.Height, Fx: 50, Fy: 50}, nil
}

// frameCount is a consumer that counts frames.
type frameCount struct {
	camdriver.NopHandler
	n int
}

func (c *frameCount) Frame(int, *camdriver.Frame) { c.n++ }

// studio is a device with its hub and its recordings.
type studio struct {
	Camera
	t     *testing.T
	pool  *camdriver.Pool
	count [2]uint64 // frames raised
}

func newStudio(t *testing.T, o Options) *studio {
	s := &studio{t: t, pool: camdriver.NewPool(64 << 20)}
	s.Hub = &camdriver.Hub{}
	s.Device = &testDevice{sensors: []camdriver.Sensor{testSensor{name: "Stereo Module"}, testSensor{name: "RGB Camera"}}}
	s.Profiles = [][]camdriver.Profile{{depth0}, {color0}}
	s.Now = func() time.Time { return s.arrival(0) }
	s.Serve(s.Source, o, "", zerolog.New(zerolog.NewTestWriter(t)))
	t.Cleanup(func() {
		if n := s.pool.InUse(); n != 0 {
			t.Errorf("%d bytes of frames weren't given back", n)
		}
	})
	return s
}

func (s *studio) arrival(sensor int) time.Time {
	return began.Add(time.Duration(s.count[sensor]) * spacing)
}

// raise raises n frames of both streams.
func (s *studio) raise(n int) {
	for range n {
		for sensor, p := range []camdriver.Profile{depth0, color0} {
			buf := s.pool.Get(p.FrameSize())
			f := camdriver.NewFrame(buf)
			f.Profile, f.Number, f.Arrival = p, s.count[sensor], s.arrival(sensor)
			f.Width, f.Height, f.Stride, f.Data = p.Width, p.Height, p.FrameSize()/p.Height, buf.Bytes
			f.Timestamp, f.Domain = float64(f.Arrival.UnixMilli()), camdriver.SystemTime
			s.count[sensor]++
			s.Hub.Frame(sensor, f)
			f.Release()
		}
	}
}

func (s *studio) must(err error) {
	s.t.Helper()
	need.Must(s.t, err)
}

// running returns the recording, which has to run.
func (s *studio) running() *Recording {
	s.t.Helper()
	rec, err := s.Running()
	s.must(err)
	return rec
}

func (s *studio) begin() string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "walk.bag")
	_, err := s.Start(path)
	s.must(err)
	return path
}

func checkGapless(t *testing.T, numbers []uint64, want int) {
	t.Helper()
	for i, n := range numbers {
		if n != uint64(i) {
			t.Fatalf("frame %d stands where %d should: %v", n, i, numbers)
		}
	}
	if len(numbers) != want {
		t.Errorf("%d frames, want %d", len(numbers), want)
	}
}
