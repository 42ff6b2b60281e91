package rsbag

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/test/need"
)

// db3Dir is the folder of .db3 recordings, most by librealsense, with manifests of what was recorded.
func db3Dir(t testing.TB) string {
	t.Helper()
	return need.Bag(t, "db3")
}

func openDB3(t testing.TB, name string) *File {
	t.Helper()
	f, err := Open(filepath.Join(db3Dir(t), name+".db3"), Options{})
	need.Must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// TestDB3Manifests checks that every frame and notification that went into a .db3 comes out of it, and
// nothing else, for all releases of librealsense.
func TestDB3Manifests(t *testing.T) {
	for _, c := range []struct {
		name, manifest string
		changes        int // of options; the SDK's converter loses them
	}{
		{"sdk_rec_raw", "sdk_rec_raw", 2},
		{"sdk_rec_zstd", "sdk_rec_zstd", 2},
		{"sdk_conv_zstd", "../librealsense/sw_small_lz4", 0},
		{"pr15556_rec_png", "pr15556_rec_png", 2},
		{"own_2.58.1_raw", "../librealsense/sw_small_raw", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := openDB3(t, c.name)
			for _, n := range f.Notes() {
				t.Log(n)
			}
			want := readManifest(t, filepath.Join(db3Dir(t), c.manifest))
			for key, list := range want.Streams {
				if strings.Contains(key, "Pose") { // the format has none
					delete(want.Streams, key)
				}
				for _, frame := range list {
					if _, has := frame.MD["Frame Counter"]; !has && c.name == "sdk_conv_zstd" {
						frame.MD["Frame Counter"] = 0 // the converter adds it
					}
				}
			}
			checkManifest(t, f, want, 60, c.changes)
		})
	}
}

// played is what librealsense's own playback reports about a recording.
type played struct {
	Duration int64 `json:"duration_ns"`
	Device   map[string]string
	Sensors  []struct {
		Info    map[string]string
		Options map[string]struct {
			Value       float32
			Description string
		}
		Filters  []string `json:"recommended_filters"`
		Profiles []struct {
			Stream, Format            string
			Index, FPS, Width, Height int
			Intrinsics                *struct {
				Width, Height    int
				Ppx, Ppy, Fx, Fy float64
				Model            string
				Coeffs           [5]float64
			}
		}
	}
	Extrinsics map[string]struct {
		Rotation    *[9]float64
		Translation [3]float64
	}
	Streams map[string][]struct {
		manifestFrame
		Pos int64
	}
}

// TestDB3Played checks that a .db3 reads as in librealsense 2.58.3: device, sensors, options, profiles,
// calibration, and each frame with its position.
func TestDB3Played(t *testing.T) {
	for _, name := range []string{"sdk_rec_raw", "sdk_formats_raw", "pr15556_formats_png", "public/d435_2018_sdk_conv"} {
		t.Run(name, func(t *testing.T) {
			f := openDB3(t, name)
			b, err := os.ReadFile(filepath.Join(db3Dir(t), name+".play.json"))
			need.Must(t, err)
			var want played
			need.Must(t, json.Unmarshal(b, &want))
			if got := f.Duration().Nanoseconds(); got != want.Duration {
				t.Errorf("duration %d, want %d", got, want.Duration)
			}
			want.device(t, f)
			want.sensors(t, f)
			want.extrinsics(t, f)
			want.frames(t, f)
		})
	}
}

func (want *played) device(t *testing.T, f *File) {
	snap := f.Snapshot()
	if len(snap.Info) != len(want.Device) || len(snap.Sensors) != len(want.Sensors) {
		t.Fatalf("%d facts, %d sensors; want %d, %d", len(snap.Info), len(snap.Sensors), len(want.Device), len(want.Sensors))
	}
	for _, i := range snap.Info {
		if v := want.Device[i.Key.String()]; v != i.Value {
			t.Errorf("%s %q, want %q", i.Key, i.Value, v)
		}
	}
}

// sensors: the SDK loses options, or their descriptions, of sensors whose options changed.
func (want *played) sensors(t *testing.T, f *File) {
	snap := f.Snapshot()
	for i, w := range want.Sensors {
		s := snap.Sensors[i]
		if s.Name != w.Info["Name"] || !slices.Equal(s.Filters, w.Filters) || len(s.Profiles) != len(w.Profiles) {
			t.Errorf("sensor %d: %q, filters %q, %d profiles", i, s.Name, s.Filters, len(s.Profiles))
		}
		for name, o := range w.Options {
			id, ok := camdriver.ParseOptionID(name)
			at := slices.IndexFunc(s.Options, func(o camdriver.Option) bool { return o.ID == id })
			if !ok || at < 0 || s.Options[at].Value != o.Value || o.Description != "" && s.Options[at].Description != o.Description {
				t.Errorf("sensor %d: option %s is not %v", i, name, o)
			}
		}
		for _, p := range w.Profiles {
			kind, _ := camdriver.ParseStreamKind(p.Stream)
			st := f.stream(camdriver.StreamID{Kind: kind, Index: p.Index})
			if st == nil {
				t.Errorf("no stream %s %d", p.Stream, p.Index)
				continue
			}
			if got := st.profile; got.Format.String() != p.Format || got.FPS != p.FPS || got.Width != p.Width || got.Height != p.Height {
				t.Errorf("profile %v, want %+v", got, p)
			}
			if in := p.Intrinsics; in != nil {
				model, _ := camdriver.ParseDistortion(in.Model)
				want := camdriver.Intrinsics{Width: in.Width, Height: in.Height, Fx: in.Fx, Fy: in.Fy, Ppx: in.Ppx, Ppy: in.Ppy, Model: model, Coeffs: in.Coeffs}
				if got := st.snapshot().Video; got == nil || *got != want {
					t.Errorf("intrinsics of %v: %+v, want %+v", st.profile.Stream, got, want)
				}
			}
		}
	}
}

func (want *played) extrinsics(t *testing.T, f *File) {
	for pair, w := range want.Extrinsics {
		a, b, _ := strings.Cut(pair, " -> ")
		var ends [2]*camdriver.Extrinsics
		for i, name := range []string{a, b} {
			_, name, _ = strings.Cut(name, "/")
			id, err := camdriver.ParseStreamID(name)
			if st := f.stream(id); err == nil && st != nil {
				ends[i] = st.snapshot().Extrinsic
			}
		}
		if ends[0] == nil || ends[1] == nil {
			if w.Rotation != nil {
				t.Errorf("%s: no extrinsics", pair)
			}
			continue
		}
		got := ends[0].Inverse().Then(*ends[1])
		if w.Rotation == nil {
			t.Errorf("%s: extrinsics %v, which the SDK doesn't have", pair, got)
			continue
		}
		for i := range 3 {
			for j := range 3 {
				if d := got.Rotation[3*i+j] - w.Rotation[3*j+i]; math.Abs(d) > 1e-6 {
					t.Errorf("%s: rotation %v, want %v by columns", pair, got.Rotation, *w.Rotation)
				}
			}
			if math.Abs(got.Translation[i]-w.Translation[i]) > 1e-6 {
				t.Errorf("%s: translation %v, want %v", pair, got.Translation, w.Translation)
			}
		}
	}
}

func (want *played) frames(t *testing.T, f *File) {
	cur := f.Cursor(CursorOptions{FramesOnly: true})
	defer cur.Close()
	next := make(map[string]int)
	for e, ok := cur.Next(); ok; e, ok = cur.Next() {
		key := strings.TrimPrefix(rslayout.StreamPrefix(e.Sensor, e.Frame.Stream()), "/device_0/")
		n := next[key]
		next[key]++
		if n >= len(want.Streams[key]) {
			t.Fatalf("%s: more than %d frames", key, n)
		}
		w := want.Streams[key][n]
		for name := range w.MD { // newer than this program
			if _, known := camdriver.ParseMetadataKey(name); !known {
				delete(w.MD, name)
			}
		}
		if counter, has := w.MD["Frame Counter"]; has && counter == 0 { // the SDK reports it for frames that have none
			delete(w.MD, "Frame Counter")
			e.Frame.Metadata = slices.DeleteFunc(e.Frame.Metadata, func(m camdriver.MetadataValue) bool { return m.Key == camdriver.MetaFrameCounter && m.Value == 0 })
		}
		if e.Frame.Stream().Kind == camdriver.Depth && w.Units == 0 {
			w.Units = usualUnits
		}
		if err := compareFrame(e.Frame, w.manifestFrame); err != nil {
			t.Fatalf("%s frame %d: %v", key, n, err)
		}
		if e.Time.Nanoseconds() != w.Pos {
			t.Errorf("%s frame %d at %d, want %d", key, n, e.Time, w.Pos)
		}
	}
	for key, list := range want.Streams {
		if next[key] != len(list) {
			t.Errorf("%s: %d frames, want %d", key, next[key], len(list))
		}
	}
	if n, err := cur.Damaged(); n != 0 {
		t.Errorf("%d damaged: %v", n, err)
	}
}

// TestDB3Damage checks that unreadable rows are skipped and counted, and that all others are read.
func TestDB3Damage(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(db3Dir(t), "sdk_rec_raw.db3"))
	need.Must(t, err)
	const number = "Frame number=110;"
	if n := bytes.Count(b, []byte(number)); n != 4 {
		t.Fatalf("%d frames of number 110", n)
	}
	b = bytes.ReplaceAll(b, []byte(number), []byte("Frame nombre=110;"))
	b = bytes.Replace(b, []byte("fps=30"), []byte("fps=xy"), 1)
	b = bytes.Replace(b, []byte("severity=Warn"), []byte("severity:Warn"), 1)
	path := filepath.Join(t.TempDir(), "damaged.db3")
	need.Must(t, os.WriteFile(path, b, 0o600))
	f, err := Open(path, Options{})
	need.Must(t, err)
	defer f.Close()
	if !slices.ContainsFunc(f.Notes(), func(n string) bool { return strings.Contains(n, "fps: ") }) {
		t.Errorf("no note of a stream's rate in %q", f.Notes())
	}
	cur := f.Cursor(CursorOptions{})
	defer cur.Close()
	frames, numbers, notifications := 0, 0, 0
	for e, ok := cur.Next(); ok; e, ok = cur.Next() {
		switch {
		case e.Notification != nil:
			notifications++
		case e.Frame != nil:
			frames++
			if e.Frame.Number == 110 {
				numbers++
			}
		}
	}
	if n, err := cur.Damaged(); n != 5 || err == nil || frames != 780 || numbers != 0 || notifications != 1 {
		t.Errorf("%d damaged (%v), %d frames, %d with the number, %d notifications", n, err, frames, numbers, notifications)
	}
}
