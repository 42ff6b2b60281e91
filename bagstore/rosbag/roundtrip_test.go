package rosbag

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
	"rsros/test/stockbag"
)

// TestRoundTrip checks that every reader finds what we write.
func TestRoundTrip(t *testing.T) {
	large := sample{Topics: 2, Messages: 8, Size: func(i int) int { return 900_000 + i*4096 }}
	mixed := sample{Topics: 3, Messages: 24, Size: func(i int) int { return i % 6 * 200_000 }}
	dir := t.TempDir()
	for name, s := range map[string]sample{"small": small, "large": large, "mixed": mixed, "empty": {Topics: 1}} {
		for _, kind := range []bagstore.Compression{bagstore.None, bagstore.LZ4, bagstore.BZ2} {
			for _, chunk := range []int{1, 4096, 0} {
				if kind == bagstore.BZ2 && (chunk != 0 || name == "large" || name == "mixed") {
					continue // slow, particularly under the race detector
				}
				if name == "large" && chunk == 4096 {
					continue // same as 1: each message is a chunk
				}
				path := filepath.Join(dir, fmt.Sprintf("%s-%s-%d", name, kind, chunk))
				s.write(t, path, bagstore.Options{Compression: kind, ChunkSize: chunk})
			}
		}
	}
}

// TestStockTools checks our bags with the stock programs.
func TestStockTools(t *testing.T) {
	for _, kind := range []bagstore.Compression{bagstore.None, bagstore.LZ4, bagstore.BZ2} {
		t.Run(string(kind), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.bag")
			want := small.write(t, path, bagstore.Options{Compression: kind, ChunkSize: 8192})
			out, err := stockbag.Run(t, "/usr/bin/rosbag", "info", "-y", path)
			need.Must(t, err)
			for _, line := range []string{fmt.Sprintf("messages: %d", len(want)), "indexed: True", "compression: " + string(kind)} {
				if !strings.Contains(out, line) {
					t.Errorf("rosbag info has no line %q:\n%s", line, out)
				}
			}
			if _, err := stockbag.Run(t, "/usr/bin/rosbag", "check", path); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestExampleBags compares our reading of every example with the stock libraries'.
func TestExampleBags(t *testing.T) {
	paths := exampleBags(t)
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			got := readAll(t, path, bagstore.OpenOptions{})
			scan := readAll(t, path, bagstore.OpenOptions{Scan: true})
			stockbag.Compare(t, "scan", scan, got)
			switch name {
			case "test_truncated.bag":
				if len(got) != 3 {
					t.Errorf("%d messages, want 3", len(got))
				}
			case "test_unindexed.bag":
				if len(got) != 14 {
					t.Errorf("%d messages, want 14", len(got))
				}
			default:
				everywhere(t, path, got)
			}
		})
	}
}
