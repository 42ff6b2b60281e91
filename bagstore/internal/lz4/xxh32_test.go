package lz4

import "testing"

// TestChecksum checks known sums, and compares those of all short lengths with the assembly and in Go.
func TestChecksum(t *testing.T) {
	defer func(was bool) { fast = was }(fast)
	for text, want := range map[string]uint32{"": 0x02CC5D05, "a": 0x550D7456, "abc": 0x32D153FF} {
		if got := xxh32([]byte(text)); got != want {
			t.Errorf("%q: %#08x, want %#08x", text, got, want)
		}
	}
	a, content := newArena(t, 4096), depth()
	for n := range 700 {
		for _, b := range [][]byte{a.in.First(n), a.in.Last(n)} {
			copy(b, content[n:])
			fast = false
			want := xxh32(b)
			fast = hasAssembly
			if got := xxh32(b); got != want {
				t.Fatalf("%d bytes: %#08x, in Go %#08x", n, got, want)
			}
		}
	}
}
