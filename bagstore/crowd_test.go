package bagstore_test

import (
	"errors"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
	"rsros/test/need"
	"rsros/test/samplebag"
	"rsros/test/stockbag"
)

// TestCrowd checks that the indexes of overlapping chunks of many messages in few bytes are bounded, in both directions, after a seek,
// too, and that what is left out is counted. Chunks that come one after the other, and
// those that the file has uncompressed, are all read.
func TestCrowd(t *testing.T) {
	const chunks, messages = 5, 2000
	const bound = messages * bagstore.EntrySize * 5 / 2
	for _, test := range []struct {
		compression bagstore.Compression
		each        int // messages of one time
		bounded     bool
	}{
		{bagstore.BZ2, chunks * messages, true}, {bagstore.BZ2, messages / 4, false}, {bagstore.None, chunks * messages, false},
	} {
		path := filepath.Join(t.TempDir(), "x.bag")
		w := samplebag.Create(t, path, bagstore.Options{Compression: test.compression, ChunkSize: messages * 46})
		for i := range chunks * messages {
			w.Put(stockbag.StringType("/x"), bagstore.Time(1+i/test.each)*1e9, nil)
		}
		w.Done()
		b, err := rosbag.Open(path, bagstore.OpenOptions{})
		need.Must(t, err)
		defer b.Close() //nolint:errcheck // only read
		v := b.View(bagstore.Query{})
		v.BoundCrowd(bound)
		it := v.Iterator()
		defer it.Close()
		for round, move := range []func() bool{it.SkipNext, it.SkipPrev, it.SkipNext} {
			if it.Seek(1e9); round == 1 {
				it.SeekEnd()
			}
			n, lost := 0, 0
			for move() || it.Err() != nil {
				if blocks, ok := errors.AsType[*bagstore.LostBlocks](it.Err()); ok {
					lost += int(blocks.Messages)
				} else {
					n++
				}
			}
			if n+lost != chunks*messages || test.bounded && (n < messages || n > bound/bagstore.EntrySize) || !test.bounded && lost > 0 {
				t.Errorf("%+v, round %d: %d messages, %d are lost", test, round, n, lost)
			}
		}
	}
}
