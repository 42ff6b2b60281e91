package sim

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"rsros/camdriver"
	"rsros/test/need"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// BenchmarkRender renders images of default profiles.
func BenchmarkRender(b *testing.B) {
	w := newWorld(Options{}.withDefaults())
	for _, p := range []camdriver.Profile{
		{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 848, Height: 480, FPS: 30},
		{Stream: camdriver.LeftStream, Format: camdriver.Y8, Width: 848, Height: 480, FPS: 30},
		{Stream: camdriver.ColorStream, Format: camdriver.RGB8, Width: 1280, Height: 720, FPS: 30},
	} {
		b.Run(p.String(), func(b *testing.B) {
			pix := make([]byte, p.FrameSize())
			b.SetBytes(int64(len(pix)))
			for b.Loop() {
				w.render(p, 0.4, normal, pix)
			}
		})
	}
}

// BenchmarkFrame makes frames of rendered images.
func BenchmarkFrame(b *testing.B) {
	dev, err := Open(Options{Loop: time.Second})
	need.Must(b, err)
	defer dev.Close()
	for i, id := range []camdriver.StreamID{camdriver.DepthStream, camdriver.ColorStream, camdriver.GyroStream} {
		b.Run(id.String(), func(b *testing.B) {
			p := small(dev.Sensors()[i], id, 15)
			r := newRun(dev.sensors[i], []camdriver.Profile{p}, nil)
			defer r.cancel()
			r.fill()
			k := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				r.streams[0].frame(k, uint64(k), dev.opened).Release()
				k++
			}
		})
	}
}
