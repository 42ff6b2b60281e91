package imagetransport

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"rsros/test/workload"
)

// FuzzConvert compares with and without assembly, between guard pages.
func FuzzConvert(f *testing.F) {
	for i := range uint64(40) {
		f.Add(i, uint8(1+9*i))
	}
	const most = 256 // pixels
	var from [2]workload.GuardedMemory
	var to [4]workload.GuardedMemory
	for i := range from {
		from[i] = workload.Guarded(f, 4*most)
	}
	for i := range to {
		to[i] = workload.Guarded(f, most)
	}
	f.Fuzz(func(t *testing.T, seed uint64, width uint8) {
		if width == 0 {
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		l := layouts[[]string{"rgb8", "bgr8", "rgba8", "bgra8"}[r.IntN(4)]]
		n := int(width)
		for _, cut := range []func(workload.GuardedMemory, int) []byte{workload.GuardedMemory.First, workload.GuardedMemory.Last} {
			var rows [2][]byte
			for i := range rows {
				rows[i] = cut(from[i], n*l.pixel)
				for k := range rows[i] {
					rows[i][k] = byte(r.Uint32()) | byte(-(r.Uint32() >> 2 & 1)) // often 255
				}
			}
			var got, want [4][]byte
			for i := range got {
				size := n
				if i >= 2 {
					size = (n + 1) / 2
				}
				got[i], want[i] = cut(to[i], size), make([]byte, size)
			}
			convertRows(rows[0], rows[1], l, got[0], got[1], got[2], got[3])
			was := fast
			fast = false
			convertRows(rows[0], rows[1], l, want[0], want[1], want[2], want[3])
			fast = was
			for i := range got {
				if !bytes.Equal(got[i], want[i]) {
					t.Fatalf("%d pixels of %d bytes, plane %d:\n%v, want\n%v", n, l.pixel, i, got[i], want[i])
				}
			}
		}
	})
}
