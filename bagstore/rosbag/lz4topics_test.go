package rosbag

import (
	"path/filepath"
	"testing"
	"time"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestLZ4Topics checks that every reader finds all messages, and that chunks of large messages are
// compressed by topic.
func TestLZ4Topics(t *testing.T) {
	re, err := bagstore.MatchWhole("/topic_[13]")
	need.Must(t, err)
	for name, c := range map[string]struct {
		size  func(i int) int
		apart bool // no chunk mixes both kinds
	}{
		"small": {func(i int) int { return i * 7 % 900 }, false},
		"large": {func(i int) int { return []int{chooseLeast, chooseLeast + 50_000, lendLeast}[i%3] }, true},
		"mixed": {func(i int) int { return []int{10, 40 << 10, lendLeast, 100, chooseLeast, 1, 0}[i%7] }, false},
	} {
		for _, live := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), name+".bag")
			s := sample{Topics: 4, Messages: 60, Size: c.size}
			s.write(t, path, bagstore.Options{LZ4Topics: re, Live: live, ChunkSize: 256 << 10, Checkpoint: time.Hour})
			if c.apart {
				apart(t, path, live)
			}
		}
	}
}

// apart checks that odd connections are compressed, unless there was no time, and the others aren't.
func apart(t *testing.T, path string, live bool) {
	t.Helper()
	b := openBag(t, path, bagstore.OpenOptions{})
	cr := newChunkReader(FileOf(b))
	for i := range FileOf(b).chunks {
		head, err := cr.header(&FileOf(b).chunks[i])
		need.Must(t, err)
		for _, k := range FileOf(b).chunks[i].Counts {
			want := []bagstore.Compression{bagstore.None, bagstore.LZ4}[k.ID%2]
			if head.Compression != want && !(live && want == bagstore.LZ4) {
				t.Errorf("%s, live %t: chunk %d with messages of topic %d is %s", path, live, i, k.ID, head.Compression)
			}
		}
	}
}

func TestLZ4TopicsRefused(t *testing.T) {
	re, _ := bagstore.MatchWhole(".*")
	for _, kind := range []bagstore.Compression{bagstore.None, bagstore.BZ2} {
		if _, err := Create(filepath.Join(t.TempDir(), "x.bag"), bagstore.Options{LZ4Topics: re, Compression: kind}); err == nil {
			t.Errorf("LZ4 by topic beside %s wasn't refused", kind)
		}
	}
}
