package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rsros/bagstore"
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

// TestHalfSetsAtEnds checks that sets which lack a stream for up to a second at the ends are no loss, and that
// others are.
func TestHalfSetsAtEnds(t *testing.T) {
	node := samplebag.Open(t, samplebag.Node(t, samplebag.NodeStamps(90)))
	at := func(image int) bagstore.Time { return bagstore.Time(samplebag.NodeStart + int64(image)*33_000_000) }
	for name, c := range map[string]struct {
		depth []int // the parts of images that depth has: from, to, from, to, …
		ends  uint64
		lost  uint64
	}{
		"starts and stops":  {[]int{3, 88}, 5, 0},
		"a gap":             {[]int{0, 40, 42, 90}, 0, 2},
		"both":              {[]int{1, 40, 42, 90}, 1, 2},
		"starts late":       {[]int{40, 90}, 0, 42}, // the syncer matches no late stream's first image
		"stops early":       {[]int{0, 40}, 0, 50},
		"late, and stops":   {[]int{40, 88}, 2, 42},
		"everything is had": {[]int{0, 90}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			in := filepath.Join(t.TempDir(), "half.bag")
			w := samplebag.Create(t, in, bagstore.Options{})
			samplebag.Each(t, func(m bagstore.Message) {
				keep := !strings.HasPrefix(m.Conn.Topic, "/camera/depth/image")
				for i := 0; i < len(c.depth); i += 2 {
					keep = keep || m.Time >= at(c.depth[i]) && m.Time < at(c.depth[i+1])
				}
				if keep {
					w.Put(*m.Conn, m.Time, m.Data)
				}
			}, node)
			w.Done()
			dir, err := make1(t, Options{In: []string{in}, Form: "tum"})
			m := readManifest(t, dir).Sequences[0]
			if isLoss(err) != (c.lost > 0) || err != nil && !strings.Contains(err.Error(), fmt.Sprintf(" %d of %d sets", c.lost, m.Sets+m.LeftOut)) {
				t.Errorf("%v, want %d lost", err, c.lost)
			}
			if m.AtEnds != c.ends || m.LeftOut != c.ends+c.lost || m.Sets+m.LeftOut < 90 || (len(m.Notes) > 0) != (c.ends > 0) {
				t.Errorf("%+v, want %d at the ends", m, c.ends)
			}
		})
	}
}
