package live

import (
	"runtime/debug"
	"testing"

	"rsros/record"
)

// TestMemoryBoundsGarbage checks that --memory bounds garbage, as in record.
func TestMemoryBoundsGarbage(t *testing.T) {
	startTestLive(t, Options{Recording: record.Options{Memory: 64 << 20}})
	n := debug.SetGCPercent(100)
	if debug.SetGCPercent(n); n >= 100 {
		t.Errorf("garbage may be %d %% of what is in use", n)
	}
}
