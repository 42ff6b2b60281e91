package control

import (
	"strings"
	"testing"
	"time"

	"rsros/msgs"
	"rsros/replay"
)

func TestStatusMessage(t *testing.T) {
	for name, c := range map[string]struct {
		s     replay.Status
		level uint8
	}{
		"well":    {replay.Status{State: replay.Running}, msgs.DiagnosticOK},
		"late":    {replay.Status{State: replay.Running, Late: time.Second}, msgs.DiagnosticWarn},
		"dropped": {replay.Status{State: replay.Paused, Dropped: 1}, msgs.DiagnosticWarn},
	} {
		if m := statusMessage(c.s); m.Level != c.level || !strings.HasPrefix(m.Message, string(c.s.State)) {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestSeconds(t *testing.T) {
	nan := 0.0
	nan /= nan
	for in, want := range map[float64]time.Duration{1.5: 1500 * time.Millisecond, 1e300: 1<<63 - 1, -1e300: -1 << 63} {
		if got := seconds(in); got != want {
			t.Errorf("seconds(%v) = %d, want %d", in, got, want)
		}
	}
	if got := seconds(nan); got != 0 {
		t.Errorf("seconds(NaN) = %d", got)
	}
}
