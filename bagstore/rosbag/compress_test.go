package rosbag

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestBZ2Memory checks that a compressor uses its memory again, and that a chunk's bytes don't depend on the
// chunks before it.
func TestBZ2Memory(t *testing.T) {
	first, second := make([]byte, 1<<18), make([]byte, 1<<18)
	r := rand.NewChaCha8([32]byte{1})
	for _, b := range [][]byte{first, second} {
		r.Read(b[:len(b)/2]) //nolint:errcheck // it never fails
	}
	compress := func(p func(dst, src []byte) ([]byte, error), src []byte) []byte {
		t.Helper()
		out, err := p(make([]byte, 0, 2<<20), src)
		need.Must(t, err)
		return out
	}
	p := newCompressor(bagstore.BZ2)
	compress(p, first)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := compress(p, second)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("the second chunk of 256 KiB took %d bytes", n)
	}
	if !bytes.Equal(got, compress(newCompressor(bagstore.BZ2), second)) {
		t.Error("the second chunk isn't what it is alone")
	}
}
