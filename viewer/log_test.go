package viewer

import (
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"rsros/ros"
	"rsros/test/visitor"
)

// Log lines reach viewers with their fields and level, and later viewers get the last lines.
func TestLogLines(t *testing.T) {
	lines := ros.NewLogWriter(zerolog.InfoLevel)
	log := zerolog.New(lines)
	_, v, _ := start(t, Options{Lines: lines, Node: "/camera"}, "")
	log.Warn().Int("frames", 3).Msg("too slow")
	check := func(m object, level, text string) {
		t.Helper()
		if m["level"] != level || m["text"] != text || m["node"] != "/camera" || m["time"] == "" {
			t.Errorf("%v, want %s %q", m, level, text)
		}
	}
	check(v.Text("log"), "warn", "too slow frames=3")
	log.Error().Msg(strings.Repeat("ä", maxLine))
	check(v.Text("log"), "error", strings.Repeat("ä", maxLine/2)+"…")
	for range maxLogLines {
		log.Debug().Msg("again")
		check(v.Text("log"), "debug", "again")
	}
	log.Info().Msg("last")
	v.Text("log")
	later := visitor.DialViewer(t, v.Page)
	for range maxLogLines - 1 {
		check(later.Text("log"), "debug", "again")
	}
	check(later.Text("log"), "info", "last")
}

// A viewer that reads nothing gets a bounded number of log lines, and stays connected.
func TestLogOfSlowViewer(t *testing.T) {
	s, _, _ := start(t, Options{}, "")
	for range 30 * maxWaitingLog / maxLine { // more than the kernel buffers
		s.sendLine("info", strings.Repeat("x", maxLine))
	}
	if n := s.viewers.All()[0].Unsent(); n < maxWaitingLog/2 || n > maxWaitingLog+2*maxLine {
		t.Errorf("%d bytes wait", n)
	}
	if n := s.viewers.SlowClients(); n != 0 {
		t.Errorf("%d viewers were disconnected", n)
	}
}
