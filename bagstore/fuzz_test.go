package bagstore

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzHeader: any bytes as a record header.
func FuzzHeader(f *testing.F) {
	f.Add(appendHeader(nil, opMessage, func(b []byte) []byte { return appendTime(appendU32(b, "conn", 1), "time", 5) })[4:])
	f.Add([]byte("\x04\x00\x00\x00op=\x05\xff\xff\xff\xff"))
	f.Add(fileHeader(4117, 1, 2)[len(magic20)+4:])
	f.Fuzz(func(_ *testing.T, b []byte) {
		var h header
		if h.parse(b) == nil {
			_ = h.need(hasConn | hasTime | hasTopic)
		}
		for len(b) > 0 {
			var err error
			if _, _, b, err = nextField(b); err != nil {
				return
			}
		}
	})
}

// FuzzRecords: any bytes as connection, chunk info and index data.
func FuzzRecords(f *testing.F) {
	f.Add(uint32(3), []byte("\x0b\x00\x00\x00type=a/b/cd"))
	f.Add(uint32(1<<31), make([]byte, 40))
	f.Fuzz(func(t *testing.T, count uint32, data []byte) {
		h := header{has: ^uint32(0), count: count, ver: 1}
		if c, err := parseConnection(&h, data); err == nil {
			var r record
			again := appendConnection(nil, c)
			if err := readRecord(memory(again), 0, int64(len(again)), &r); err != nil {
				t.Fatal(err)
			}
		}
		if info, err := parseChunkInfo(&h, data); err == nil && len(info.Counts) != int(count) {
			t.Fatal("chunk info of another length")
		}
		if list, err := parseIndex(&h, data, nil); err == nil && len(list) != int(count) {
			t.Fatal("index of another length")
		}
	})
}

// FuzzBag: any bytes as a bag, read both ways. Whatever comes out was checked
// against the file's length, so memory stays bounded.
func FuzzBag(f *testing.F) {
	for i, o := range []Options{{}, {Compression: LZ4}, {Compression: BZ2}, {ChunkSize: 1}} {
		path := filepath.Join(f.TempDir(), "x.bag")
		sample{topics: 2, messages: 5 + i, size: func(i int) int { return 10 * i }}.write(f, path, o)
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		f.Add(raw[:len(raw)/2])
	}
	f.Add(bag12())
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, o := range []OpenOptions{{}, {Scan: true}} {
			r := aheadOf(raw)
			b, err := OpenReader(r, int64(len(raw)), "fuzz", o)
			if err != nil {
				_ = r.Close()
				continue
			}
			v, err := NewView([]*Bag{b}, Query{})
			if err != nil {
				t.Fatal(err)
			}
			it := v.Iterator()
			for n := 0; n < 1000 && (it.Next() || it.Err() != nil); n++ {
			}
			it.SeekEnd()
			for n := 0; n < 1000 && (it.Prev() || it.Err() != nil); n++ {
			}
			it.Close()
			_, _ = b.summary()
			_ = r.Close()
		}
	})
}
