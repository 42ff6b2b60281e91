package record

import (
	"testing"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/camdriver"
)

func TestForecast(t *testing.T) {
	video := func(f camdriver.Format, width, height int) camdriver.Profile {
		return camdriver.Profile{Stream: camdriver.StreamID{Kind: camdriver.Color}, Format: f, Width: width, Height: height, FPS: 30}
	}
	gyro := camdriver.Profile{Stream: camdriver.GyroStream, Format: camdriver.MotionXYZ32F, FPS: 200}
	images := [][]camdriver.Profile{{video(camdriver.Z16, 848, 480), video(camdriver.Y8, 848, 480), video(camdriver.Y8, 848, 480)}, {video(camdriver.RGB8, 1280, 720)}, {gyro}}
	for _, c := range []struct {
		profiles [][]camdriver.Profile
		o        Options
		free     int64
		want     string
	}{
		{images, Options{MinSpace: 1 << 30}, 209 << 30, "about 125.7 MB/s: the disk has room for 28 minutes until 1.0 GB are free (--min-space)"},
		{images, Options{}, 4e9, "about 125.7 MB/s: the disk has room for 30 seconds"},
		{images, Options{}, 4e12, "about 125.7 MB/s: the disk has room for 8 hours"},
		{images, Options{MinSpace: 1 << 30}, 0, "about 125.7 MB/s: the disk has room for 0 seconds until 1.0 GB are free (--min-space)"},
		{images, Options{Bag: bagstore.Options{Compression: bagstore.LZ4}}, -1, "about 125.7 MB/s before compression"},
		{images, Options{Ring: Ring{Before: time.Minute}}, 4e9, "about 125.7 MB/s"},
		{[][]camdriver.Profile{{gyro}}, Options{}, 4e9, ""},
	} {
		r := newRecording(c.o, nil, zerolog.Nop())
		r.taps = []*tap{{Source: Source{Profiles: c.profiles}}}
		if got := r.forecast(c.free); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
