package record

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/test/rig"
)

// TestCameraRingInParts checks that a camera's black box of MCAP files, which aren't joined, keeps every frame once, and
// that the log suggests no command that would mix their times.
func TestCameraRingInParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStudio(t, Options{Ring: Ring{Before: 5 * time.Second, After: 3 * time.Second}, Bag: bagstore.Options{NoSync: true}})
		var log bytes.Buffer
		s.log = zerolog.New(zerolog.SyncWriter(&log))
		dir := t.TempDir()
		_, err := s.Start(filepath.Join(dir, "walk.mcap"))
		s.must(err)
		for n := range 20 * 30 {
			time.Sleep(spacing)
			s.raise(1)
			if n == 10*30 {
				_, err := s.running().Trigger()
				s.must(err)
			}
		}
		s.must(s.Close())
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		var numbers []uint64
		for _, path := range left {
			numbers = append(numbers, rig.ReadTake(t, path).Depth...)
		}
		slices.Sort(numbers)
		for i, n := range numbers {
			if n != numbers[0]+uint64(i) {
				t.Fatalf("frame %d stands where %d should", n, numbers[0]+uint64(i))
			}
		}
		if len(left) < 5 || len(numbers) < 8*30 || len(numbers) > 11*30 || filepath.Ext(left[0]) != extMCAP {
			t.Errorf("%d frames in %q", len(numbers), left)
		}
		if text := log.String(); !strings.Contains(text, "stays in several files") || strings.Contains(text, "merge --join") {
			t.Errorf("log %s", text)
		}
	})
}
