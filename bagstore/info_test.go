package bagstore

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInfoAsStock: what we print is what rosbag info prints. Its duration of
// unsorted chunks is wrong, so that bag is left out.
func TestInfoAsStock(t *testing.T) {
	paths := exampleBags(t)
	own := filepath.Join(t.TempDir(), "own.bag")
	small.write(t, own, Options{Compression: LZ4, ChunkSize: 9000})
	for _, path := range append(paths, own) {
		name := filepath.Base(path)
		if strings.Contains(name, "unindexed") || strings.Contains(name, "truncated") || strings.Contains(name, "unsorted") || strings.Contains(name, "no-") {
			continue
		}
		s, err := Info(t.Context(), path, InfoOptions{Rates: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct {
			args  []string
			write func(*bytes.Buffer) error
		}{
			{[]string{"info", "--freq", path}, func(b *bytes.Buffer) error { return s.WriteText(b) }},
			{[]string{"info", "--freq", "-y", path}, func(b *bytes.Buffer) error { return s.WriteYAML(b) }},
		} {
			want, err := stock(t, "/usr/bin/rosbag", f.args...)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := f.write(&got); err != nil {
				t.Fatal(err)
			}
			gotLines, wantLines := lines(got.String()), lines(want)
			for i := range max(len(gotLines), len(wantLines)) {
				// Stock computes rates in floating point seconds.
				if i < len(gotLines) && strings.Contains(gotLines[i], "frequency:") {
					continue
				}
				if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
					t.Errorf("%s %v: line %d differs:\n%s\nstock:\n%s", name, f.args[:2], i, got.String(), want)
					break
				}
			}
		}
	}
}

func lines(s string) []string {
	var out []string
	for _, l := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		out = append(out, strings.TrimRight(l, " "))
	}
	return out
}

func TestInfoDetails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bag")
	w, err := Create(path, Options{ChunkSize: 500, Compression: LZ4})
	if err != nil {
		t.Fatal(err)
	}
	id, err := w.AddConnection(stringType("/steady"))
	if err != nil {
		t.Fatal(err)
	}
	// 10 Hz with one gap of a second.
	at := Time(nsPerSec)
	for i := range 50 {
		if i == 20 {
			at += Time(900 * time.Millisecond)
		}
		if err := w.Write(id, at, text(i, 10+i)); err != nil {
			t.Fatal(err)
		}
		at += Time(100 * time.Millisecond)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	everywhere(t, path, readAll(t, path, OpenOptions{}))
	s, err := Info(t.Context(), path, InfoOptions{Rates: true, Sizes: true})
	if err != nil {
		t.Fatal(err)
	}
	r, z := s.Topics[0].Rates, s.Topics[0].Sizes
	if r.Median != 10 || r.Max != 10 || r.Min != 1 || r.Gaps != 1 || r.LongestGap != time.Second || r.GapAt != Time(2_900_000_000) {
		t.Errorf("rates %+v", r)
	}
	if z.Min != 14 || z.Max != 63 || z.Bytes != 50*(14+63)/2 {
		t.Errorf("sizes %+v", z)
	}
}
