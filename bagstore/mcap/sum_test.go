package mcap

import (
	"bytes"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	format "github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
	"rsros/test/need"
)

// TestSumOfMessages checks that a flipped byte of a chunk, or of messages outside of chunks, is found once all messages were
// read one by one, in whatever order, and that nothing is found in a sound file.
func TestSumOfMessages(t *testing.T) {
	for name, o := range map[string]format.WriterOptions{
		"chunks":       {Chunked: true, ChunkSize: 200, IncludeCRC: true},
		"unchunked":    {IncludeCRC: true},
		"without sums": {Chunked: true, ChunkSize: 200},
	} {
		whole := build(t, o)
		for order, swap := range map[string]func(n int, swap func(i, j int)){
			"in order": func(int, func(i, j int)) {},
			"reversed": func(n int, swap func(i, j int)) {
				for i := range n / 2 {
					swap(i, n-1-i)
				}
			},
			"shuffled": rand.New(rand.NewPCG(1, 2)).Shuffle,
		} {
			for _, damaged := range []bool{false, true} {
				b := slices.Clone(whole)
				if damaged {
					b[bytes.Index(b, []byte("message 17"))] ^= 0x20
				}
				f, err := OpenReader(bytes.NewReader(b), int64(len(b)), "test", Options{Scan: true})
				need.Must(t, err)
				type message struct {
					block int
					bagstore.Entry
				}
				var list []message
				for i := range f.Blocks() {
					entries, err := f.Entries(nil, i)
					need.Must(t, err)
					for _, e := range entries {
						list = append(list, message{i, e}, message{i, e}) // read twice
					}
				}
				swap(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				for _, m := range list {
					if _, err := f.Read(nil, m.block, m.Entry, func(n int) []byte { return make([]byte, 0, n) }); err != nil {
						t.Fatal(err)
					}
				}
				if want := damaged && o.IncludeCRC; (len(f.Found()) == 1) != want {
					t.Errorf("%s, %s, damaged %v: found %v", name, order, damaged, f.Found())
				}
			}
		}
	}
}

// TestJoinSums compares with the checksum of the whole.
func TestJoinSums(t *testing.T) {
	b := make([]byte, 5000)
	for i := range b {
		b[i] = byte(i * i >> 3)
	}
	for _, at := range []int{0, 1, 63, 2500, 4999, 5000} {
		if got, want := joinSums(crc32.ChecksumIEEE(b[:at]), crc32.ChecksumIEEE(b[at:]), int64(len(b)-at)), crc32.ChecksumIEEE(b); got != want {
			t.Errorf("joined at %d: %#x, want %#x", at, got, want)
		}
	}
}
