package rosbag

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/bagstore"
)

// byTime sorts as a view does: ties stay in file order.
func byTime(s []seen) []seen {
	out := slices.Clone(s)
	slices.SortStableFunc(out, func(x, y seen) int { return cmp.Compare(x.time, y.time) })
	return out
}

// sorted sorts a list completely, so that lists whose ties differ in order can be compared.
func sorted(s []seen) []seen {
	out := slices.Clone(s)
	slices.SortFunc(out, func(x, y seen) int {
		return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.topic, y.topic), cmp.Compare(x.sum, y.sum))
	})
	return out
}

func compare(t testing.TB, what string, got, want []seen) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: message %d of %d is %v, want %v (of %d)", what, i, len(got), got[i], want[i], len(want))
		}
	}
	t.Fatalf("%s: %d messages, want %d", what, len(got), len(want))
}

// TestRoundTrip checks that every reader finds what we write.
func TestRoundTrip(t *testing.T) {
	large := sample{topics: 2, messages: 8, size: func(i int) int { return 900_000 + i*4096 }}
	mixed := sample{topics: 3, messages: 24, size: func(i int) int { return i % 6 * 200_000 }}
	dir := t.TempDir()
	for name, s := range map[string]sample{"small": small, "large": large, "mixed": mixed, "empty": {topics: 1}} {
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
			out, err := stock(t, "/usr/bin/rosbag", "info", "-y", path)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{fmt.Sprintf("messages: %d", len(want)), "indexed: True", "compression: " + string(kind)} {
				if !strings.Contains(out, line) {
					t.Errorf("rosbag info has no line %q:\n%s", line, out)
				}
			}
			if _, err := stock(t, "/usr/bin/rosbag", "check", path); err != nil {
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
			compare(t, "scan", scan, got)
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
