package program

import (
	"runtime/debug"
	"testing"
)

// gcPercent returns the collector's setting.
func gcPercent() int {
	n := debug.SetGCPercent(100)
	debug.SetGCPercent(n)
	return n
}

// TestBoundGarbage checks that --memory bounds garbage, that the user's GOGC is above it, and that the setting
// is restored.
func TestBoundGarbage(t *testing.T) {
	before := gcPercent()
	check := func(name string, memory int64, want int) {
		t.Helper()
		restore := BoundGarbage(memory)
		if got := gcPercent(); got != want {
			t.Errorf("%s: collects at %d %%, want %d %%", name, got, want)
		}
		if restore(); gcPercent() != before {
			t.Errorf("%s: afterwards %d %%, want %d %%", name, gcPercent(), before)
		}
	}
	check("no bound", 0, before)
	check("a bound", 1<<20, boundedGC)
	t.Setenv("GOGC", "80")
	check("GOGC", 1<<20, before)
}
