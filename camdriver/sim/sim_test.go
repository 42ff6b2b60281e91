package sim

import (
	"testing"

	"go.uber.org/goleak"

	"rsros/camdriver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func BenchmarkRender(b *testing.B) {
	w := newWorld(Options{}.withDefaults())
	for _, p := range []camdriver.Profile{
		{Stream: depthID, Format: camdriver.Z16, Width: 848, Height: 480, FPS: 30},
		{Stream: leftID, Format: camdriver.Y8, Width: 848, Height: 480, FPS: 30},
		{Stream: colorID, Format: camdriver.RGB8, Width: 1280, Height: 720, FPS: 30},
	} {
		b.Run(p.String(), func(b *testing.B) {
			pix := make([]byte, p.FrameSize())
			b.SetBytes(int64(len(pix)))
			for b.Loop() {
				w.render(p, 0.4, look{gain: 1, saturation: 1, laser: 1}, pix)
			}
		})
	}
}
