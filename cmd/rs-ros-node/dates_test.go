package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"rsros/test/need"
	"rsros/test/samplebag"
)

// TestDatesOfRecordings cuts a RealSense recording of 2023, whose times count from its start, by dates and by seconds.
func TestDatesOfRecordings(t *testing.T) {
	bag, dir := samplebag.SDK(t, "sw_small_raw.bag", "walk.bag"), t.TempDir()
	cut := func(name, start, end string) []byte {
		t.Helper()
		out := filepath.Join(dir, name+".bag")
		want(t, exitOK, "filter", bag, "-o", out, "--start", start, "--end", end)
		data, err := os.ReadFile(out)
		need.Must(t, err)
		return data
	}
	// Stamps of 1700000000 + 4.125 ms are at 0.323 ms in the file.
	byFile := cut("file", "0.5", "1.2")
	if got := cut("date", "2023-11-14T22:13:20.503802Z", "2023-11-14T22:13:21.203802Z"); !bytes.Equal(got, byFile) {
		t.Errorf("cut by dates, it has %d bytes, by seconds %d", len(got), len(byFile))
	}
	if got := cut("epoch", "1700000000.503802", "1700000001.203802"); !bytes.Equal(got, byFile) {
		t.Errorf("cut by seconds since 1970, it has %d bytes, by those from the start %d", len(got), len(byFile))
	}
	if whole := cut("all", "2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"); len(whole) <= len(byFile) {
		t.Errorf("a wider range has %d bytes of more than %d", len(whole), len(byFile))
	}
	other := samplebag.Walk(t, "other.bag")
	both := []string{"merge", bag, other, "-o", filepath.Join(dir, "both.bag"), "--start", "2023-11-14T22:13:20Z"}
	has(t, wantLog(t, exitUsage, both...), "give seconds from the first message")
	has(t, want(t, exitOK, "info", bag),
		"start:       Nov 14 2023 ", "end:         Nov 14 2023 ", "times:       in the file 0.00 to 1.99, from the start of the RealSense recording")
	has(t, want(t, exitOK, "info", "--yaml", bag), "start: 0.000000\n")
	has(t, want(t, exitOK, "info", "--json", bag), `"recorded": {`, `"start": 17000000`)
}
