package rsmarks

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/test/need"
)

var (
	depth = camdriver.DepthStream
	start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

const period = 10 * time.Millisecond

// record makes a recording of one stream with frames of these numbers; events writes what else follows
// each of them.
func record(t *testing.T, numbers []int, events func(r *rsbag.Recorder, number int, at time.Time)) *rsbag.File {
	t.Helper()
	profile := camdriver.Profile{Stream: depth, Format: camdriver.Z16, Width: 4, Height: 2, FPS: 100}
	snap := camdriver.DeviceSnapshot{
		Info: []camdriver.Info{{Key: camdriver.InfoName, Value: "Test"}},
		Sensors: []camdriver.SensorSnapshot{{Name: "Stereo Module", Profiles: []camdriver.Profile{profile}, Options: []camdriver.Option{
			{ID: camdriver.OptionExposure, Value: 8500}, {ID: camdriver.OptionGain, Value: 16},
		}}},
		Streams: []camdriver.StreamSnapshot{{Profile: profile}},
	}
	path := filepath.Join(t.TempDir(), "walk.bag")
	r, err := rsbag.NewRecorder(path, snap, rsbag.RecorderOptions{})
	need.Must(t, err)
	before, last := 0, 0
	for _, n := range numbers {
		if n < last { // the camera restarts its count, later
			before += last
		}
		last = n
		f := camdriver.NewFrame(nil)
		f.Profile, f.Number, f.Arrival = profile, uint64(n), start.Add(time.Duration(before+n)*period)
		f.Width, f.Height, f.Stride, f.Data = 4, 2, 8, make([]byte, 16)
		need.Must(t, r.Frame(0, f))
		if events != nil {
			events(r, n, f.Arrival)
		}
	}
	need.Must(t, r.Close())
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// without returns the numbers from 1 to n except those lost.
func without(n int, lost func(int) bool) (numbers []int) {
	for i := 1; i <= n; i++ {
		if !lost(i) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// A few losses are located.
func TestFewLosses(t *testing.T) {
	gone := map[int]bool{2: true, 700: true, 701: true, 702: true, 1000: true, 4998: true}
	f := record(t, without(4999, func(i int) bool { return gone[i] }), nil)
	first := start.Add(period) // its file time is 0 or nearly so
	var got []string
	for _, m := range Find(t.Context(), f) {
		if m.Kind != Loss || m.Stream != depth {
			t.Errorf("%+v", m)
		}
		got = append(got, m.Text+" "+m.Time.Round(period).String())
	}
	at := func(n int) string { return start.Add(time.Duration(n) * period).Sub(first).String() }
	want := []string{"1 frame missing " + at(3), "3 frames missing " + at(703), "1 frame missing " + at(1001), "1 frame missing " + at(4999)}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// However many places have losses, few frames are read, and the sum is right.
func TestManyLosses(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	f := record(t, without(6000, func(i int) bool { return i > 1 && i < 6000 && random.IntN(4) == 0 }), nil)
	s := markSearch{f: f, id: depth}
	whole, ok := s.sample(t.Context())
	if !ok || len(whole.inside) > maxSamples {
		t.Fatalf("%d samples", len(whole.inside))
	}
	missing, _, _ := f.Gaps()
	found := losses(t.Context(), f, depth)
	if len(found) < maxProbes/2 || len(found) > maxProbes {
		t.Errorf("%d marks", len(found))
	}
	if n := sum(t, found); n != missing[depth] {
		t.Errorf("%d frames missing, want %d", n, missing[depth])
	}
}

// sum adds up the marks.
func sum(t *testing.T, list []Mark) (n uint64) {
	t.Helper()
	for _, m := range list {
		number, _, _ := strings.Cut(m.Text, " ")
		v, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			t.Fatalf("mark %q", m.Text)
		}
		n += v
	}
	return n
}

// A camera that restarts its count at 1 lost nothing there, and losses before and after are found.
func TestCounterBeginsAgain(t *testing.T) {
	numbers := append(without(100, func(i int) bool { return i == 50 }), without(80, func(i int) bool { return i == 30 })...)
	list := losses(t.Context(), record(t, numbers, nil), depth)
	if n := sum(t, list); n != 2 || len(list) != 2 {
		t.Errorf("%d frames missing, want 2: %v", n, list)
	}
}

// Events have marks, and options only where they change.
func TestEvents(t *testing.T) {
	f := record(t, without(10, func(int) bool { return false }), func(r *rsbag.Recorder, number int, at time.Time) {
		for _, err := range []error{
			r.Option(0, camdriver.OptionExposure, 8500+1000*float32(number/5), at),
			r.Option(0, camdriver.OptionGain, 16, at),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		if number == 7 {
			n := camdriver.Notification{Time: at, Category: camdriver.NotifyHardwareError, Severity: camdriver.SeverityError, Description: strings.Repeat("é", 2*maxText)}
			if err := r.Notification(0, n, at); err != nil {
				t.Error(err)
			}
		}
	})
	list := Find(t.Context(), f)
	if len(list) != 3 || list[0].Text != "Stereo Module: Exposure 9500, before 8500" || list[2].Text != "Stereo Module: Exposure 10500, before 9500" ||
		list[1].Kind != Notification || len([]rune(list[1].Text)) != maxText {
		t.Errorf("%+v", list)
	}
}

// In librealsense's recordings the sums equal those of reading every frame, and a pause is one mark.
func TestSDKRecordings(t *testing.T) {
	for _, name := range []string{"sw_small_raw", "sw_small_lz4", "sw_small_pause"} {
		f, err := rsbag.Open("../../../test/data/librealsense/"+name+".bag", rsbag.Options{})
		need.Must(t, err)
		defer f.Close()
		missing, _, _ := f.Gaps()
		for _, s := range f.Snapshot().Streams {
			id := s.Profile.Stream
			list := losses(t.Context(), f, id)
			if n := sum(t, list); n != missing[id] {
				t.Errorf("%s: %d frames of %v missing, want %d: %v", name, n, id, missing[id], list)
			}
			if name == "sw_small_pause" && id == depth && (len(list) != 1 || !strings.Contains(list[0].Text, "pause")) {
				t.Errorf("%s: %v", name, list)
			}
		}
	}
}

// Canceling the context ends a search.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := record(t, without(100, func(i int) bool { return i == 50 }), nil)
	if list := Find(ctx, f); len(list) > 0 {
		t.Errorf("%v", list)
	}
}
