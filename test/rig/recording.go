package rig

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/bagstore/rosbag"
	"rsros/camdriver"
	"rsros/test/need"
)

// Take is the content of one file of a recording.
type Take struct {
	Depth  []uint64        // frame numbers
	Times  []time.Duration // of the depth frames
	Others []string        // option changes and notifications, with their times
	Snap   camdriver.DeviceSnapshot
}

// ReadTake reads a recording, which must be undamaged.
func ReadTake(t testing.TB, path string) Take {
	t.Helper()
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	defer f.Close()
	if n := f.Notes(); len(n) > 0 && !slices.Equal(n, []string{"no frames"}) {
		t.Errorf("%s: %q", path, f.Notes())
	}
	out := Take{Snap: f.Snapshot()}
	c := f.Cursor(rsbag.CursorOptions{})
	defer c.Close()
	for e, ok := c.Next(); ok; e, ok = c.Next() {
		switch {
		case e.Frame == nil && e.Notification != nil:
			out.Others = append(out.Others, fmt.Sprintf("%v %s", e.Time.Round(time.Millisecond), e.Notification.Description))
		case e.Frame == nil:
			out.Others = append(out.Others, fmt.Sprintf("%v %v=%v", e.Time.Round(time.Millisecond), e.Option.ID, e.Option.Value))
		case e.Frame.Stream().Kind == camdriver.Depth:
			out.Depth = append(out.Depth, e.Frame.Number)
			out.Times = append(out.Times, e.Time)
		}
	}
	return out
}

// CheckTake reads all frames of a recording.
func CheckTake(t testing.TB, path string) {
	t.Helper()
	b, err := rosbag.Open(path, bagstore.OpenOptions{Sequential: true})
	need.Must(t, err)
	defer b.Close()
	c, err := rsbag.NewChecker(b)
	need.Must(t, err)
	defer c.Close()
	c.Report()
}

// MapBag writes a recording of a depth stream and a growing map.
func MapBag(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "map.bag")
	depth := camdriver.Profile{Stream: camdriver.DepthStream, Format: camdriver.Z16, Width: 2, Height: 1, FPS: 10}
	maps := camdriver.Profile{Stream: camdriver.StreamID{Kind: camdriver.Occupancy}, Format: camdriver.Y8, FPS: 10}
	r, err := rsbag.NewRecorder(path, camdriver.DeviceSnapshot{
		Info:    []camdriver.Info{{Key: camdriver.InfoName, Value: "Mapper"}},
		Sensors: []camdriver.SensorSnapshot{{Name: "Stereo Module"}}, Reference: depth.Stream,
		Streams: []camdriver.StreamSnapshot{{Profile: depth}, {Profile: maps}},
	}, rsbag.RecorderOptions{})
	need.Must(t, err)
	for n := range 10 {
		at := time.Unix(1000, int64(n)*1e8)
		f := DepthFrame(0.001, uint16(n), 7)
		m := camdriver.NewFrame(nil)
		m.Profile, m.Width, m.Height, m.Stride = maps, 1+n, 1, 1+n
		m.Data = slices.Repeat([]byte{100}, 1+n)
		m.Map = camdriver.MapInfo{Resolution: 0.5, Rotation: [4]float64{3: 1}}
		for _, f := range []*camdriver.Frame{f, m} {
			f.Number, f.Timestamp, f.Arrival = uint64(n), float64(at.UnixMilli()), at
			need.Must(t, r.Frame(0, f))
		}
	}
	need.Must(t, r.Close())
	return path
}
