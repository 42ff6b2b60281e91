package bagstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRewriteCompression(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	want := byTime(small.write(t, in, Options{ChunkSize: 5000}))
	for _, kind := range []Compression{LZ4, BZ2, None} {
		out := filepath.Join(dir, string(kind))
		res, err := Rewrite(t.Context(), in, out, RewriteOptions{Options: Options{Compression: kind, ChunkSize: 9000}})
		if err != nil {
			t.Fatal(err)
		}
		if res.Messages != uint64(len(want)) {
			t.Errorf("%d messages", res.Messages)
		}
		everywhere(t, out, want)
		b, err := Open(out, OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		heads, err := b.ChunkHeaders()
		latching := func(c *Connection) bool { return c.Topic == "/topic_1" && c.Latching }
		if c := b.Connections(); err != nil || heads[0].Compression != kind || !slices.ContainsFunc(c, latching) {
			t.Errorf("%+v, %+v, %v", heads, c, err)
		}
		b.Close()
		in = out // each from the one before
	}
	if _, err := Rewrite(t.Context(), in, in, RewriteOptions{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("an existing file is replaced: %v", err)
	}
	if _, err := Rewrite(t.Context(), in, in, RewriteOptions{Options: Options{Compression: LZ4, Overwrite: true}}); err != nil {
		t.Error(err)
	}
	everywhere(t, in, want)
}

func TestRewriteFilter(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	all := byTime(small.write(t, in, Options{ChunkSize: 5000, Compression: LZ4}))
	from, to := all[100].time, all[200].time
	between := func(s seen) bool { return s.time >= from && s.time <= to }
	for name, tc := range map[string]struct {
		f    Filter
		keep func(seen) bool
	}{
		"topics":  {Filter{Topics: []string{"/topic_2", "/nothing"}}, func(s seen) bool { return s.topic == "/topic_2" }},
		"match":   {Filter{Match: regexp.MustCompile("/topic_[13]|/t")}, func(s seen) bool { return s.topic == "/topic_1" || s.topic == "/topic_3" }},
		"part":    {Filter{Match: regexp.MustCompile("topic_1")}, func(seen) bool { return false }},
		"exclude": {Filter{Exclude: regexp.MustCompile(".*[123]")}, func(s seen) bool { return s.topic == "/topic_0" }},
		"time":    {Filter{Start: from, End: to}, between},
		"type":    {Filter{Types: []string{"std_msgs/Int32"}}, func(seen) bool { return false }},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(dir, name)
			if _, err := Rewrite(t.Context(), in, out, RewriteOptions{Filter: tc.f}); err != nil {
				t.Fatal(err)
			}
			want := slices.DeleteFunc(slices.Clone(all), func(s seen) bool { return !tc.keep(s) })
			everywhere(t, out, want)
		})
	}
	t.Run("latched", func(t *testing.T) {
		out := filepath.Join(dir, "latched")
		res, err := Rewrite(t.Context(), in, out, RewriteOptions{Filter: Filter{Start: from, Latched: true}})
		if err != nil {
			t.Fatal(err)
		}
		var last seen
		for _, s := range all[:100] {
			if s.topic == "/topic_1" && s.time < from {
				last = s
			}
		}
		last.time = from
		got := readAll(t, out, OpenOptions{})
		if res.Latched != 1 || got[0] != last {
			t.Errorf("%d latched, first is %v, want %v", res.Latched, got[0], last)
		}
	})
}

func TestMerge(t *testing.T) {
	dir := t.TempDir()
	var all []seen
	var ins []string
	for i := range 3 {
		path := filepath.Join(dir, fmt.Sprint(i))
		s := small
		s.messages += i * 50
		all = append(all, s.write(t, path, Options{ChunkSize: 4000})...)
		ins = append(ins, path)
	}
	out := filepath.Join(dir, "out.bag")
	if _, err := Merge(t.Context(), ins, out, RewriteOptions{Options: Options{Compression: LZ4}}); err != nil {
		t.Fatal(err)
	}
	everywhere(t, out, all)
	b, err := Open(out, OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if n := len(b.Connections()); n != small.topics {
		t.Errorf("%d connections, want %d: equal ones become one", n, small.topics)
	}
}

func TestSplit(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	want := byTime(small.write(t, in, Options{ChunkSize: 4000}))
	for name, o := range map[string]SplitOptions{
		"messages": {Messages: 70},
		"duration": {Duration: 50 * time.Millisecond},
		"size":     {Size: 40_000, Options: Options{ChunkSize: 2000}},
	} {
		t.Run(name, func(t *testing.T) {
			parts, err := Split(t.Context(), in, func(i int) string { return filepath.Join(dir, fmt.Sprint(name, i)) }, o)
			if err != nil {
				t.Fatal(err)
			}
			var got []seen
			for _, p := range parts {
				part := readAll(t, p.Path, OpenOptions{})
				everywhere(t, p.Path, part)
				got = append(got, part...)
			}
			compare(t, name, got, want)
			if len(parts) < 3 {
				t.Errorf("only %d parts", len(parts))
			}
		})
	}
}

// TestSplitLatched: each part begins with the newest latched messages, the first
// with those from before the filter's start.
func TestSplitLatched(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	all := byTime(small.write(t, in, Options{ChunkSize: 4000}))
	start := all[100].time
	for name, o := range map[string]SplitOptions{
		"repeat": {Messages: 100, RepeatLatched: true},
		"both":   {Messages: 50, RepeatLatched: true, Filter: Filter{Start: start, Latched: true}},
		"first":  {Messages: 50, Filter: Filter{Start: start, Latched: true}},
		"none":   {Messages: 50, Filter: Filter{Start: start}},
	} {
		t.Run(name, func(t *testing.T) {
			parts, err := Split(t.Context(), in, func(i int) string { return filepath.Join(dir, fmt.Sprint(name, i)) }, o)
			if err != nil || len(parts) < 3 {
				t.Fatalf("%d parts, %v", len(parts), err)
			}
			for i, p := range parts {
				last := seen{} // latched before the part's first message
				for _, s := range all {
					if s.topic == "/topic_1" && s.time < p.Start {
						last = s
					}
				}
				got := readAll(t, p.Path, OpenOptions{})
				wanted := o.RepeatLatched && i > 0 || o.Latched && i == 0
				if begins := got[0].topic == "/topic_1" && got[0].sum == last.sum; begins != wanted {
					t.Errorf("part %d begins with %v; latched is %v", i, got[0], last)
				}
			}
		})
	}
}

// TestCancelled leaves nothing behind.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	s := small
	s.messages = 2000
	s.write(t, in, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	stop := func(done, _ uint64) {
		if done > 500 {
			cancel()
		}
	}
	out := filepath.Join(dir, "out.bag")
	_, err := Rewrite(ctx, in, out, RewriteOptions{Progress: stop})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if list, _ := filepath.Glob(out + "*"); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
	if _, err := Recover(ctx, in, out, RecoverOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Recover: %v", err)
	}
	if _, err := Check(ctx, in, CheckOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Check: %v", err)
	}
}

func TestFilterErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Rewrite(t.Context(), filepath.Join(dir, "no.bag"), filepath.Join(dir, "out"), RewriteOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	text := filepath.Join(dir, "text.bag")
	if err := os.WriteFile(text, []byte(strings.Repeat("hello ", 10)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(text, OpenOptions{}); !errors.Is(err, ErrNotBag) {
		t.Errorf("got %v", err)
	}
	if _, err := Split(t.Context(), text, nil, SplitOptions{}); err == nil {
		t.Error("Split without a limit")
	}
}
