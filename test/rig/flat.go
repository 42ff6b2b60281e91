package rig

import (
	"cmp"
	"runtime"
	"testing"
)

// flatSlack is what the garbage collector's figures may differ by, in bytes.
const flatSlack = 8 << 20

// Flat calls step a number of times, and checks that the memory in use stays what it is after the first tenth.
func Flat(t testing.TB, steps int, step func(i int)) {
	t.Helper()
	var first uint64
	for i := range steps {
		step(i)
		if (i+1)%(steps/10) != 0 {
			continue
		}
		runtime.GC()
		runtime.GC() // pools give up what they have after the second
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		first = cmp.Or(first, m.HeapAlloc)
		if m.HeapAlloc > first+flatSlack {
			t.Fatalf("%d KiB are in use after %d steps, %d KiB after %d", m.HeapAlloc>>10, i+1, first>>10, steps/10)
		}
	}
}
