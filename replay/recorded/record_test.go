package recorded_test

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/replay"
	"rsros/replay/recorded"
	"rsros/test/need"
)

// recording is a handler that records.
type recording struct {
	t     *testing.T
	r     *rsbag.Recorder
	ended chan struct{}
}

func (h *recording) Frame(sensor int, f *camdriver.Frame) { h.check(h.r.Frame(sensor, f)) }
func (h *recording) OptionChanged(sensor int, id camdriver.OptionID, v float32) {
	h.check(h.r.Option(sensor, id, v, time.Time{}))
}
func (h *recording) Notification(sensor int, n camdriver.Notification) {
	h.check(h.r.Notification(sensor, n, time.Time{}))
}
func (h *recording) StatusChanged(s camdriver.Status) {
	if s.Kind == camdriver.StatusEnded {
		close(h.ended)
	}
}
func (h *recording) check(err error) {
	if err != nil {
		h.t.Error(err)
	}
}

// copyBag plays a file as a device and records it.
func copyBag(t *testing.T, from, to string, bag bagstore.Options) {
	t.Helper()
	d, err := recorded.Open(from, recorded.Options{Paused: true})
	need.Must(t, err)
	defer d.Close()
	var running [][]camdriver.Profile
	for _, s := range d.Sensors() {
		running = append(running, s.Profiles())
	}
	r, err := rsbag.NewRecorder(to, camdriver.Snapshot(d, running), rsbag.RecorderOptions{Bag: bag})
	need.Must(t, err)
	h := &recording{t: t, r: r, ended: make(chan struct{})}
	startAll(t, d, h)
	do(t, d, replay.Resume{})
	<-h.ended
	need.Must(t, r.Close())
}

// content lists the content of a file except for what the recorder chooses: arrival
// times, the file's version and default profiles.
func content(t *testing.T, path string) []string {
	t.Helper()
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	defer f.Close()
	snap := f.Snapshot()
	lines := []string{fmt.Sprint(snap.Info, snap.Reference)}
	for _, s := range snap.Sensors {
		lines = append(lines, fmt.Sprint(s.Name, s.Info, s.Options, s.Filters))
	}
	for _, s := range snap.Streams {
		s.Profile.Default = true
		if s.Extrinsic != nil {
			for i := range s.Extrinsic.Rotation {
				s.Extrinsic.Rotation[i] = math.Round(s.Extrinsic.Rotation[i]*1e12) + 0 // -0 becomes 0
			}
		}
		lines = append(lines, fmt.Sprint(s.Sensor, s.Profile, s.Video, s.Motion, s.Extrinsic))
	}
	c := f.Cursor(rsbag.CursorOptions{})
	defer c.Close()
	perTopic := make(map[string][]string) // options and frames may be reordered
	for e, more := c.Next(); more; e, more = c.Next() {
		switch {
		case e.Option != nil:
			perTopic["options"] = append(perTopic["options"], fmt.Sprint(e.Sensor, *e.Option))
		case e.Notification != nil:
			perTopic["notifications"] = append(perTopic["notifications"], fmt.Sprint(e.Sensor, *e.Notification))
		default:
			f, key := e.Frame, e.Frame.Stream().String()
			perTopic[key] = append(perTopic[key], fmt.Sprint(e.Sensor, f.Number, f.Timestamp, f.Domain, f.Metadata,
				f.Width, f.Height, f.Stride, f.Data, f.DepthUnits, f.Motion, f.Pose, f.Map))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(perTopic)) {
		lines = append(lines, perTopic[k]...)
	}
	return lines
}

// TestRecordAgain plays librealsense's file (version 4), records it (version 3), and
// plays and records that again. All three must have the same content.
func TestRecordAgain(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(samples, "sw_small_lz4.bag")
	once, twice := filepath.Join(dir, "once.bag"), filepath.Join(dir, "twice.bag")
	copyBag(t, from, once, bagstore.Options{Compression: bagstore.LZ4})
	sink := bagstore.Direct
	if strings.HasPrefix(bagstore.ThisPlatform().Direct, "no") {
		sink = bagstore.Buffered
	}
	copyBag(t, once, twice, bagstore.Options{Sink: sink})
	want := content(t, from)
	for _, path := range []string{once, twice} {
		got := content(t, path)
		if len(got) != len(want) {
			t.Fatalf("%s: %d lines, want %d", path, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s line %d\n%.300s\nwant\n%.300s", path, i, got[i], want[i])
			}
		}
	}
}

// TestOccupancy records, plays and records maps.
func TestOccupancy(t *testing.T) {
	dir := t.TempDir()
	once, twice := filepath.Join(dir, "once.bag"), filepath.Join(dir, "twice.bag")
	id := camdriver.StreamID{Kind: camdriver.Occupancy}
	p := camdriver.Profile{Stream: id, Format: camdriver.Y8, FPS: 1, Default: true}
	units := camdriver.Identity()
	snap := camdriver.DeviceSnapshot{Reference: id, Sensors: []camdriver.SensorSnapshot{{Name: "Mapper", Profiles: []camdriver.Profile{p}}},
		Streams: []camdriver.StreamSnapshot{{Profile: p, Extrinsic: &units}}}
	r, err := rsbag.NewRecorder(once, snap, rsbag.RecorderOptions{})
	need.Must(t, err)
	const maps = 4
	for n := range maps {
		f := camdriver.NewFrame(nil)
		f.Profile, f.Number, f.Timestamp, f.Arrival = p, uint64(n), float64(1000*n), time.Unix(int64(1000+n), 0)
		f.Width, f.Height, f.Stride = 2+n, 3, 2+n
		f.Data = slices.Repeat([]byte{0, 100, 255}, 2+n)
		f.Map = camdriver.MapInfo{Resolution: 0.05, Origin: [3]float64{-1, float64(n), 0}, Rotation: [4]float64{0, 0, 0, 1}}
		f.Metadata = []camdriver.MetadataValue{{Key: camdriver.MetaFrameCounter, Value: int64(n)}}
		need.Must(t, r.Frame(0, f))
	}
	need.Must(t, r.Close())
	copyBag(t, once, twice, bagstore.Options{Compression: bagstore.LZ4})
	want := content(t, once)
	if got := content(t, twice); !slices.Equal(got, want) {
		t.Errorf("recorded again\n%q\nwant\n%q", got, want)
	}
	d, err := recorded.Open(twice, recorded.Options{Paused: true})
	need.Must(t, err)
	defer d.Close()
	l := newLog(camdriver.System{})
	startAll(t, d, l)
	need.Must(t, d.SeekFrame(t.Context(), id, 2))
	do(t, d, replay.Resume{})
	<-l.ended
	if got := l.take(); !slices.Equal(got, []string{"0 Occupancy_0 2", "streaming", "0 Occupancy_0 3", "ended"}) {
		t.Errorf("%q", got)
	}
	if notes := d.File().Notes(); len(notes) != 1 { // the sensor has no options
		t.Errorf("notes %q", notes)
	}
}
