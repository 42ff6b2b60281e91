package rosbag

import (
	"os"
	"path/filepath"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/test/need"
)

// FuzzRecords decodes arbitrary bytes as connection, chunk info and index data.
func FuzzRecords(f *testing.F) {
	f.Add(uint32(3), []byte("\x0b\x00\x00\x00type=a/b/cd"))
	f.Add(uint32(1<<31), make([]byte, 40))
	f.Fuzz(func(t *testing.T, count uint32, data []byte) {
		h := bagrecord.Header{Has: ^uint32(0), Count: count, Ver: 1}
		if c, err := parseConnection(&h, data); err == nil {
			var r bagrecord.Record
			again := appendConnection(nil, &c.Connection)
			need.Must(t, bagrecord.Read(bagrecord.Memory(again), 0, int64(len(again)), &r))
		}
		if info, err := parseChunkInfo(&h, data); err == nil && len(info.Counts) != int(count) {
			t.Fatal("chunk info of another length")
		}
		if r := (bagrecord.Record{Header: h, DataLen: int64(len(data))}); checkIndex(&r) == nil && int(count)*bagstore.EntrySize > len(data) {
			t.Fatal("an index that is longer than its record")
		}
	})
}

// FuzzBag reads arbitrary bytes as a bag, indexed and unindexed. Lengths are checked against the file
// size, so memory stays bounded.
func FuzzBag(f *testing.F) {
	for i, o := range []bagstore.Options{{}, {Compression: bagstore.LZ4}, {Compression: bagstore.BZ2}, {ChunkSize: 1}} {
		path := filepath.Join(f.TempDir(), "x.bag")
		sample{Topics: 2, Messages: 5 + i, Size: func(i int) int { return 10 * i }}.write(f, path, o)
		raw, err := os.ReadFile(path)
		need.Must(f, err)
		f.Add(raw)
		f.Add(raw[:len(raw)/2])
	}
	f.Add(bag12())
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, o := range []bagstore.OpenOptions{{}, {Scan: true}} {
			r := aheadOf(raw)
			b, err := openReader(r, int64(len(raw)), "fuzz", o)
			if err != nil {
				_ = r.Close()
				continue
			}
			v := bagstore.NewView([]*bagstore.Recording{b}, bagstore.Query{})
			it := v.Iterator()
			for n := 0; n < 1000 && (it.Next() || it.Err() != nil); n++ {
			}
			it.SeekEnd()
			for n := 0; n < 1000 && (it.Prev() || it.Err() != nil); n++ {
			}
			it.Close()
			_, _, _ = b.Layouts()
			_ = r.Close()
		}
	})
}
