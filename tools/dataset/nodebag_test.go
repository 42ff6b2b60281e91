package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/program"
	"rsros/test/samplebag"
	"rsros/tools/bagset"
)

// TestMessageBeforeFrames checks times of a recording whose first message comes before its first
// frame.
func TestMessageBeforeFrames(t *testing.T) {
	in := samplebag.Node(t, samplebag.NodeStamps(30))
	// The selection counts from the first message, 5 ms before the first frame.
	dir := whole(t, Options{In: []string{in}, Form: "tum", Selection: bagset.Selection{Start: "0.3", End: "0.6"}})
	m := readManifest(t, dir).Sequences[0]
	if first, last := samplebag.NodeStart+9*33_000_000, samplebag.NodeStart+18*33_000_000; m.Sets != 10 || abs(m.First-first) > 200 || abs(m.Last-last) > 200 {
		t.Errorf("%d sets from %d to %d, want 10 from %d to %d", m.Sets, m.First-samplebag.NodeStart, m.Last-samplebag.NodeStart, first-samplebag.NodeStart, last-samplebag.NodeStart)
	}
}

func isLoss(err error) bool {
	return errors.Is(err, program.ErrIncomplete)
}

func abs(n int64) int64 { return max(n, -n) }

// TestStampTwice checks that images with the stamp of an earlier one are left out where the stamp is their name, and
// that stamps which go back are counted.
func TestStampTwice(t *testing.T) {
	stamps := samplebag.NodeStamps(12)
	stamps[5] = stamps[4]
	for i := 8; i < 12; i++ {
		stamps[i] = stamps[i-8] // the clock was set back; the first four images come again
	}
	in := samplebag.Node(t, stamps)
	dir := filepath.Join(t.TempDir(), "set")
	if _, err := make1(t, Options{In: []string{in}, Form: "kalibr", Dir: dir}); !isLoss(err) {
		t.Fatal(err)
	}
	m := readManifest(t, dir).Sequences[0]
	left, err := os.ReadFile(filepath.Join(dir, "left_out.csv"))
	if err != nil || m.Sets != 7 || m.LeftOut != 5 || strings.Count(string(left), "the stamp of an earlier image") != 5 {
		t.Errorf("%d sets, %d left out, %v\n%s", m.Sets, m.LeftOut, err, left)
	}
	if n := samplebag.Open(t, filepath.Join(dir, "kalibr.bag")).MessageCount(); n != 7 {
		t.Errorf("%d messages in the bag, want 7", n)
	}
	dir = filepath.Join(t.TempDir(), "set")
	for i := range stamps[8:] {
		stamps[8+i]++ // no longer the same, but earlier
	}
	stamps[8] += 1_000_000
	if _, err := make1(t, Options{In: []string{samplebag.Node(t, stamps)}, Form: "kalibr", Dir: dir}); !isLoss(err) {
		t.Fatal(err)
	}
	if m := readManifest(t, dir).Sequences[0]; m.Back != 1 {
		t.Errorf("stamps go back %d times, want 1", m.Back)
	}
}
