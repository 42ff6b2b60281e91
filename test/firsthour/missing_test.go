//go:build firsthour && linux

package firsthour

import "testing"

// TestMissing checks what counts as promised.
func TestMissing(t *testing.T) {
	const printed = "Depth_0  150  0 7.5 ms\nother\nwalk.bag: 1.3 GB\n"
	for _, c := range []struct{ promised, want string }{
		{"Depth_0   149 0  8 ms\nwalk.bag: 2 GB\n", ""},
		{"Depth_0 …\n…\nwalk.bag: …", ""},
		{"walk.bag: 1 GB\nother", "other"},
		{"Depth_0 150 7 7 ms", ""},
		{"Color_0 150 0 7 ms", "Color_0 150 0 7 ms"},
		{"Depth_0 0 0 7 ms", "Depth_0 0 0 7 ms"},
	} {
		if got := missing(c.promised, printed); got != c.want {
			t.Errorf("%q: %q, want %q", c.promised, got, c.want)
		}
	}
}
