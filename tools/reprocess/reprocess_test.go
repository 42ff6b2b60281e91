package reprocess_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/bagstore/realsense/rsbag"
	"rsros/camdriver"
	"rsros/camdriver/process"
	"rsros/test/need"
	"rsros/tools/bagset"
	"rsros/tools/reprocess"
)

const unpleasant = "../../camdriver/process/testdata/unpleasant.bag" // 16 frames each of depth, infrared and colour

// run processes a bag with the named blocks.
func run(t *testing.T, in string, names ...string) (*rsbag.File, reprocess.Result, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.bag")
	r, err := reprocess.Run(t.Context(), reprocess.Options{In: in, Out: out, Log: zerolog.New(zerolog.NewTestWriter(t)),
		Chain: func(res *process.Resources) (process.Chain, error) {
			var c process.Chain
			known, err := process.ParseNames(strings.Join(names, ","), process.BlockNames())
			for _, name := range known {
				c = append(c, process.New(res, name))
			}
			return c, err
		}})
	if err != nil {
		if _, missing := os.Stat(out); missing == nil {
			t.Error("a file was left behind")
		}
		return nil, r, err
	}
	return open(t, out), r, nil
}

// frames reads all frames of a stream: their numbers and the hashes of their pixels.
func frames(t *testing.T, f *rsbag.File, id camdriver.StreamID) (out []string) {
	t.Helper()
	c := f.Cursor(rsbag.CursorOptions{Streams: rsbag.Only(id), FramesOnly: true})
	defer c.Close()
	for e := range c.Events() {
		h := fnv.New64a()
		h.Write(e.Frame.Data)
		out = append(out, fmt.Sprintf("%d %dx%d %016x", e.Frame.Number, e.Frame.Width, e.Frame.Height, h.Sum64()))
	}
	return out
}

func open(t *testing.T, path string) *rsbag.File {
	t.Helper()
	f, err := rsbag.Open(path, rsbag.Options{})
	need.Must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func stream(f *rsbag.File, id camdriver.StreamID) camdriver.StreamSnapshot {
	for _, s := range f.Snapshot().Streams {
		if s.Profile.Stream == id {
			return s
		}
	}
	return camdriver.StreamSnapshot{}
}

var (
	depth = camdriver.DepthStream
	color = camdriver.ColorStream
	left  = camdriver.LeftStream
)

// The pixels written are librealsense's; the hashes are from its dump.
func TestAligned(t *testing.T) {
	f, r, err := run(t, unpleasant, "align_to_color")
	need.Must(t, err)
	if r.Frames != 48 || r.Sets != 16 || r.Dropped != 0 {
		t.Errorf("%+v, want 16 sets of 3", r)
	}
	got := frames(t, f, depth)
	if len(got) != 16 || got[0] != "100 160x120 7d6a47a9c264323c" || got[1] != "101 160x120 11bc337dd1692bb9" {
		t.Errorf("depth is %q", got)
	}
	d, c := stream(f, depth), stream(f, color)
	if d.Video == nil || c.Video == nil || *d.Video != *c.Video {
		t.Errorf("aligned depth has intrinsics %+v, colour %+v", d.Video, c.Video)
	}
	if c.Extrinsic == nil || *c.Extrinsic != camdriver.Identity() {
		t.Errorf("colour is %+v away from aligned depth", c.Extrinsic)
	}
	if i := stream(f, left).Extrinsic; i == nil || i.Translation == [3]float64{} {
		t.Error("infrared is where aligned depth is")
	}
}

// What isn't processed stays unchanged.
func TestTheRestStays(t *testing.T) {
	in := open(t, unpleasant)
	f, _, err := run(t, unpleasant, "decimation", "colorizer")
	need.Must(t, err)
	for _, id := range []camdriver.StreamID{color, left} {
		if got, want := fmt.Sprint(frames(t, f, id)), fmt.Sprint(frames(t, in, id)); got != want {
			t.Errorf("%s is\n%s, want\n%s", id, got, want)
		}
	}
	d := stream(f, depth)
	if d.Profile.Format != camdriver.RGB8 || d.Profile.Width != 80 || d.Video == nil || d.Video.Fx != 48 {
		t.Errorf("coloured depth is described as %v with %+v", d.Profile, d.Video)
	}
	if got := len(frames(t, f, depth)); got != 16 {
		t.Errorf("%d frames of depth, want 16", got)
	}
}

// Motion, poses, options and notifications are copied.
func TestMotionIsCopied(t *testing.T) {
	path := "../../test/data/librealsense/sw_small_lz4.bag"
	in := open(t, path)
	f, _, err := run(t, path, "spatial")
	need.Must(t, err)
	for _, s := range in.Streams() {
		if got := f.Frames(s.Profile.Stream); got != s.Frames {
			t.Errorf("%d frames of %s, want %d", got, s.Profile.Stream, s.Frames)
		}
	}
}

// TestPart checks that the frames of a part of the time are processed.
func TestPart(t *testing.T) {
	f, _, err := run(t, unpleasant, "colorizer")
	need.Must(t, err)
	whole := frames(t, f, color)
	out := filepath.Join(t.TempDir(), "part.bag")
	r, err := reprocess.Run(t.Context(), reprocess.Options{In: unpleasant, Out: out, Selection: bagset.Selection{Start: "0.1", End: "0.2"}, Log: zerolog.Nop(),
		Chain: func(res *process.Resources) (process.Chain, error) { return nil, nil }})
	if err != nil || r.Sets == 0 || r.Sets > 5 {
		t.Fatalf("%+v, %v; want the sets of 0.1 s", r, err)
	}
	got := frames(t, open(t, out), color)
	if i := slices.Index(whole, got[0]); i < 1 || i+len(got) >= len(whole) || !slices.Equal(got, whole[i:i+len(got)]) {
		t.Errorf("colour is\n%q of\n%q", got, whole)
	}
}

// TestTornRecording checks that losses at the end of a recording are reported.
func TestTornRecording(t *testing.T) {
	b, err := os.ReadFile(unpleasant)
	need.Must(t, err)
	torn := filepath.Join(t.TempDir(), "torn.bag")
	need.Must(t, os.WriteFile(torn, b[:len(b)*3/4], 0o600))
	if _, r, err := run(t, torn, "colorizer"); err != nil || r.Damage == nil {
		t.Errorf("%v, damage %v", err, r.Damage)
	}
	if _, r, err := run(t, unpleasant, "colorizer"); err != nil || r.Damage != nil {
		t.Errorf("a sound one: %v, damage %v", err, r.Damage)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	if _, _, err := run(t, unpleasant, "disparity_start"); !errors.Is(err, reprocess.ErrDisparity) {
		t.Errorf("disparity was recorded: %v", err)
	}
	if _, _, err := run(t, unpleasant, "no_such"); !errors.Is(err, camdriver.ErrNotFound) {
		t.Errorf("a block that isn't there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(t.TempDir(), "out.bag")
	_, err := reprocess.Run(ctx, reprocess.Options{In: unpleasant, Out: out,
		Chain: func(*process.Resources) (process.Chain, error) { return nil, nil }})
	if _, missing := os.Stat(out); !errors.Is(err, context.Canceled) || missing == nil {
		t.Errorf("interrupted: %v", err)
	}
}
