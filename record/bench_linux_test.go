package record

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"rsros/bagstore"
	"rsros/camdriver"
	"rsros/test/need"
)

// reel holds the frames that a D435i at 1280x720 sends, made beforehand: a few images per stream, in
// memory like a driver's.
type reel struct {
	profiles [][]camdriver.Profile
	images   map[camdriver.StreamID][]*camdriver.Buffer
	fps      int
	raised   int // ticks
	bytes    int64
	numbers  map[camdriver.StreamID]uint64
	samples  [2]int // of gyro and accel
}

func newReel(fps int) *reel {
	stream := func(kind camdriver.StreamKind, index int, f camdriver.Format) camdriver.Profile {
		return camdriver.Profile{Stream: camdriver.StreamID{Kind: kind, Index: index}, Format: f, Width: 1280, Height: 720, FPS: fps}
	}
	r := &reel{fps: fps, images: map[camdriver.StreamID][]*camdriver.Buffer{}, numbers: map[camdriver.StreamID]uint64{}}
	r.profiles = [][]camdriver.Profile{
		{stream(camdriver.Depth, 0, camdriver.Z16), stream(camdriver.Infrared, 1, camdriver.Y8), stream(camdriver.Infrared, 2, camdriver.Y8)},
		{stream(camdriver.Color, 0, camdriver.RGB8)},
		{{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 400},
			{Stream: camdriver.AccelStream, Format: camdriver.MotionXYZ32F, FPS: 200}},
	}
	pool := camdriver.NewPool(1 << 30)
	random := rand.New(rand.NewPCG(1, 2))
	for _, p := range append(r.profiles[0], r.profiles[1]...) {
		for range 3 {
			buf := pool.Get(p.FrameSize())
			paint(buf.Bytes, p, random)
			r.images[p.Stream] = append(r.images[p.Stream], buf)
		}
	}
	return r
}

// paint draws slopes with noise, and holes in depth: they compress about as well as a camera's images.
func paint(pixels []byte, p camdriver.Profile, random *rand.Rand) {
	bytes := p.Format.BitsPerPixel() / 8
	for i := 0; i < len(pixels); i += bytes {
		x, y := i/bytes%p.Width, i/bytes/p.Width
		if p.Stream.Kind == camdriver.Depth {
			v := 800 + y*2 + x/4 + random.IntN(3)
			if (x/40+y/30)%9 == 0 {
				v = 0
			}
			pixels[i], pixels[i+1] = byte(v), byte(v>>8)
			continue
		}
		for c := range bytes {
			pixels[i+c] = byte(x/6 + y/4 + 40*c + random.IntN(4))
		}
	}
}

// raise raises the frames of one tick of the image rate.
func (r *reel) raise(h *camdriver.Hub, now time.Time) {
	for sensor, list := range r.profiles {
		for i, p := range list {
			if sensor < 2 {
				buf := r.images[p.Stream][r.raised%3]
				buf.Retain()
				f := camdriver.NewFrame(buf)
				f.Width, f.Height, f.Stride, f.Data = p.Width, p.Height, p.FrameSize()/p.Height, buf.Bytes
				r.send(h, sensor, p, f, now)
				continue
			}
			for ; r.samples[i] < (r.raised+1)*p.FPS/r.fps; r.samples[i]++ {
				r.send(h, sensor, p, camdriver.NewFrame(nil), now)
			}
		}
	}
	r.raised++
}

// send sets the metadata that a D435i sends.
func (r *reel) send(h *camdriver.Hub, sensor int, p camdriver.Profile, f *camdriver.Frame, now time.Time) {
	f.Profile, f.Number, f.Arrival, f.Domain = p, r.numbers[p.Stream], now, camdriver.GlobalTime
	f.Timestamp = float64(now.UnixMicro()) / 1e3
	r.numbers[p.Stream]++
	keys := 4
	if p.Width > 0 {
		keys = 14
	}
	for k := range keys {
		f.Metadata = append(f.Metadata, camdriver.MetadataValue{Key: camdriver.MetadataKey(k), Value: int64(f.Number) + int64(k)*1e6})
	}
	r.bytes += int64(len(f.Data))
	h.Frame(sensor, f)
	f.Release()
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	need.Must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRecording records all streams of a D435i at their pace, from the hub
// through the queue to the disk. An operation is one image of each stream.
// cpu-s/GB counts all threads and includes raising the frames. "bare" is the peer:
// the images alone, written past the page cache with nothing else.
func BenchmarkRecording(b *testing.B) {
	for _, fps := range []int{30, 60, 90} {
		r := newReel(fps)
		b.Run(fmt.Sprintf("%dfps/bare", fps), r.bare)
		for _, c := range []struct {
			name, ext string
			bag       bagstore.Options
		}{
			{"none-direct", ".bag", bagstore.Options{Sink: bagstore.Direct}},
			{"none-buffered", ".bag", bagstore.Options{Sink: bagstore.Buffered}},
			{"lz4-direct", ".bag", bagstore.Options{Sink: bagstore.Direct, Compression: bagstore.LZ4}},
			{"lz4-buffered", ".bag", bagstore.Options{Sink: bagstore.Buffered, Compression: bagstore.LZ4}},
			{"db3", ".db3", bagstore.Options{}},
			{"mcap", ".mcap", bagstore.Options{}},
		} {
			b.Run(fmt.Sprintf("%dfps/%s", fps, c.name), func(b *testing.B) { r.record(b, c.ext, c.bag) })
		}
	}
}

func (r *reel) record(b *testing.B, ext string, bag bagstore.Options) {
	device := &testDevice{sensors: []camdriver.Sensor{testSensor{name: "Stereo Module"}, testSensor{name: "RGB Camera"}, testSensor{name: "Motion Module"}}}
	recs := &Camera{Source: Source{Hub: &camdriver.Hub{}, Device: device, Profiles: r.profiles, Now: time.Now}, o: Options{Bag: bag}, log: zerolog.Nop()}
	recs.create = recs.open
	if _, err := recs.Start(filepath.Join(b.TempDir(), "bench"+ext)); err != nil {
		b.Fatal(err)
	}
	r.run(b, func() { r.raise(recs.Hub, time.Now()) }, func() uint64 {
		s, err := recs.Stop()
		need.Must(b, err)
		return s.Dropped
	})
}

// bare writes the images to a file past the page cache.
func (r *reel) bare(b *testing.B) {
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "bench"), os.O_CREATE|os.O_WRONLY|unix.O_DIRECT, 0o666)
	if err != nil {
		need.System(b, "%v", err)
	}
	r.run(b, func() {
		for _, p := range append(r.profiles[0], r.profiles[1]...) {
			image := r.images[p.Stream][r.raised%3].Bytes
			n := len(image) &^ (camdriver.PageSize - 1)
			if _, err := f.Write(image[:n]); err != nil {
				b.Fatal(err)
			}
			r.bytes += int64(n)
		}
		r.raised++
	}, func() uint64 {
		need.Must(b, errors.Join(f.Sync(), f.Close()))
		return 0
	})
}

// run calls tick at the image rate, then end, and reports the cost.
func (r *reel) run(b *testing.B, tick func(), end func() (dropped uint64)) {
	r.bytes, r.raised, r.samples = 0, 0, [2]int{}
	cpu, began := processorTime(b), time.Now()
	for b.Loop() {
		time.Sleep(time.Until(began.Add(time.Duration(r.raised) * time.Second / time.Duration(r.fps))))
		tick()
	}
	paced := time.Since(began)
	dropped := end()
	gigabytes := float64(r.bytes) / 1e9
	b.ReportMetric((processorTime(b)-cpu).Seconds()/gigabytes, "cpu-s/GB")
	b.ReportMetric(gigabytes*1e3/paced.Seconds(), "MB/s")
	b.ReportMetric(float64(dropped), "dropped")
	b.ReportMetric(0, "ns/op")
}
