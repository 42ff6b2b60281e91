package disk

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
)

// TestPages writes runs of pages at random places, most of them more than once, with the page cache only,
// past it from some size on, and from the start.
func TestPages(t *testing.T) {
	for name, from := range map[string]int64{"cache": 1 << 40, "both": 1 << 20, "direct": 1} {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			path := filepath.Join(t.TempDir(), "x")
			f, err := os.Create(path)
			need.Must(t, err)
			defer f.Close()
			p := NewPages(f, from)
			want := make([]byte, Grain)
			for i := range 300 {
				run := p.Buffer()[:(1+rnd.IntN(20))*Grain]
				for j := range run {
					run[j] = byte(i + j>>12)
				}
				off := int64(1+rnd.IntN(len(want)/Grain)) * Grain
				if end := int(off) + len(run); end > len(want) {
					want = append(want, make([]byte, end-len(want))...)
				}
				copy(want[off:], run)
				need.Must(t, p.Write(run, off))
				if i%50 > 0 {
					continue
				}
				page := make([]byte, Grain)
				if _, err := p.ReadAt(page, off); err != nil || !bytes.Equal(page, want[off:][:Grain]) {
					t.Fatalf("run %d: another page is read: %v", i, err)
				}
			}
			copy(want, "head")
			need.Must(t, p.WriteHead(want[:Grain]))
			need.Must(t, p.Finish())
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, want %d, or others: %v", len(got), len(want), err)
			}
		})
	}
}
