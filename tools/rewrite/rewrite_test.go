package rewrite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
	"rsros/tools/info"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCompression(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	want := samplebag.Small.Write(t, in, bagstore.Options{ChunkSize: 5000})
	for _, kind := range []bagstore.Compression{bagstore.LZ4, bagstore.BZ2, bagstore.None} {
		out := filepath.Join(dir, string(kind))
		res, err := Merge(t.Context(), []*bagstore.Recording{open(t, in, false)}, out, Options{Options: bagstore.Options{Compression: kind, ChunkSize: 9000}})
		need.Must(t, err)
		if res.Messages != uint64(len(want)) {
			t.Errorf("%d messages", res.Messages)
		}
		samplebag.Everywhere(t, out, want)
		s, err := info.Summarize(t.Context(), open(t, out, false), info.Options{})
		if err != nil || s.Compressions[0].Kind != kind || !s.Topics[1].Latching {
			t.Errorf("%+v %v", s, err)
		}
		in = out // each from the one before
	}
	if _, err := Merge(t.Context(), []*bagstore.Recording{open(t, in, false)}, in, Options{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("an existing file is replaced: %v", err)
	}
}

// TestLatched checks that the newest latched message from before the start is moved to it.
func TestLatched(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "in.bag"), filepath.Join(t.TempDir(), "out.bag")
	all := samplebag.Small.Write(t, in, bagstore.Options{ChunkSize: 5000, Compression: bagstore.LZ4})
	from := all[100].Time
	res, err := Merge(t.Context(), []*bagstore.Recording{open(t, in, false)}, out, Options{Filter: bagstore.Filter{Start: bagstore.Time(from), Latched: true}})
	need.Must(t, err)
	var last stockbag.Message
	for _, s := range all[:100] {
		if s.Topic == "/topic_1" && s.Time < from {
			last = s
		}
	}
	last.Time = from
	got := samplebag.Read(t, out, bagstore.OpenOptions{})
	if res.Latched != 1 || got[0] != last {
		t.Errorf("%d latched, first is %v, want %v", res.Latched, got[0], last)
	}
	samplebag.Everywhere(t, out, got)
}

func TestSplit(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	want := samplebag.Small.Write(t, in, bagstore.Options{ChunkSize: 4000})
	for name, o := range map[string]SplitOptions{
		"messages": {Messages: 70},
		"duration": {Duration: 50 * time.Millisecond},
		"size":     {Size: 40_000, Options: Options{Options: bagstore.Options{ChunkSize: 2000}}},
	} {
		t.Run(name, func(t *testing.T) {
			parts, err := Split(t.Context(), open(t, in, false), func(i int) string { return filepath.Join(dir, fmt.Sprint(name, i)) }, o)
			need.Must(t, err)
			var got []stockbag.Message
			for _, p := range parts {
				part := samplebag.Read(t, p.Path, bagstore.OpenOptions{})
				samplebag.Everywhere(t, p.Path, part)
				got = append(got, part...)
			}
			stockbag.Compare(t, name, got, want)
			if len(parts) < 3 {
				t.Errorf("only %d parts", len(parts))
			}
		})
	}
}

// TestSplitLatched checks that each part begins with the newest latched messages, including those from
// before the filter's start.
func TestSplitLatched(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	all := samplebag.Small.Write(t, in, bagstore.Options{ChunkSize: 4000})
	start := bagstore.Time(all[100].Time)
	for name, o := range map[string]SplitOptions{
		"repeat": {Messages: 100, RepeatLatched: true},
		"both":   {Messages: 50, RepeatLatched: true, Options: Options{Filter: bagstore.Filter{Start: start, Latched: true}}},
		"first":  {Messages: 50, Options: Options{Filter: bagstore.Filter{Start: start, Latched: true}}},
		"none":   {Messages: 50, Options: Options{Filter: bagstore.Filter{Start: start}}},
	} {
		t.Run(name, func(t *testing.T) {
			parts, err := Split(t.Context(), open(t, in, false), func(i int) string { return filepath.Join(dir, fmt.Sprint(name, i)) }, o)
			if err != nil || len(parts) < 3 {
				t.Fatalf("%d parts, %v", len(parts), err)
			}
			for i, p := range parts {
				last := stockbag.Message{} // latched before the part's first message
				for _, s := range all {
					if s.Topic == "/topic_1" && s.Time < p.Start {
						last = s
					}
				}
				got := samplebag.Read(t, p.Path, bagstore.OpenOptions{})
				wanted := o.RepeatLatched && i > 0 || o.Latched && i == 0
				if begins := got[0].Topic == "/topic_1" && got[0].Sum == last.Sum; begins != wanted {
					t.Errorf("part %d begins with %v; latched is %v", i, got[0], last)
				}
			}
		})
	}
}

// TestCancelled checks that canceling leaves no file.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	s := samplebag.Small
	s.Messages = 2000
	s.Write(t, in, bagstore.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	stop := func(done, _ uint64) {
		if done > 500 {
			cancel()
		}
	}
	out := filepath.Join(dir, "out.bag")
	_, err := Merge(ctx, []*bagstore.Recording{open(t, in, false)}, out, Options{Progress: stop})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if list, _ := filepath.Glob(out + "*"); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}
