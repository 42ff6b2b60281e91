package main

import (
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// TestSomeTopicsStayCompressed checks that filter and split compress the topics that are compressed in
// their input, and no others, unless a flag says otherwise.
func TestSomeTopicsStayCompressed(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.bag")
	some, err := bagstore.MatchWhole("/points")
	need.Must(t, err)
	conns := []bagstore.Connection{stockbag.StringType("/points"), stockbag.StringType("/image"), stockbag.StringType("/small")}
	writeBag(t, in, bagstore.Options{LZ4Topics: some}, conns, func(write func(int, bagstore.Time, []byte)) {
		for n, size := range []int{600_000, 600_000, 10} {
			for i := range 8 {
				write(n, bagstore.Time(1e9*(i+1)), msgs.Marshal(&msgs.String{Data: strings.Repeat(string(rune('a'+n)), size)}))
			}
		}
	})
	uses := func(path string) map[string]map[bagstore.Compression]int {
		b := samplebag.Open(t, path)
		heads, _, err := b.Layouts()
		need.Must(t, err)
		found := map[string]map[bagstore.Compression]int{}
		for i, c := range b.Blocks() {
			for _, n := range c.Counts {
				for _, conn := range b.Connections() {
					if conn.ID != n.ID {
						continue
					}
					if found[conn.Topic] == nil {
						found[conn.Topic] = map[bagstore.Compression]int{}
					}
					found[conn.Topic][heads[i].Compression] += int(n.Count)
				}
			}
		}
		return found
	}
	out := filepath.Join(dir, "out.bag")
	want(t, 0, "filter", in, "-o", out, "--start", "2", "--end", "6", "--quiet")
	want(t, 0, "split", in, "--split-count", "12", "-o", filepath.Join(dir, "part"), "--quiet")
	for _, path := range []string{out, filepath.Join(dir, "part_000.bag"), filepath.Join(dir, "part_001.bag")} {
		got := uses(path)
		if got["/points"][bagstore.None] > 0 || got["/points"][bagstore.LZ4] == 0 || got["/image"][bagstore.LZ4] > 0 || got["/image"][bagstore.None] == 0 {
			t.Errorf("%s: %v", filepath.Base(path), got)
		}
	}
	want(t, 0, "filter", in, "-o", out, "--force", "--uncompressed", "--quiet")
	if got := uses(out); got["/points"][bagstore.LZ4] > 0 {
		t.Errorf("--uncompressed: %v", got)
	}
	sameMessages(t, in, out)
}
