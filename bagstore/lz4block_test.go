package bagstore

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// blocksOf gives contents that find the edges of an encoder.
func blocksOf() [][]byte {
	rnd := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	few := make([]byte, 70_000)
	for i := range few {
		few[i] = byte(rnd.IntN(3))
	}
	long := append(bytes.Clone(noise[:66_000]), noise[:3000]...)
	list := [][]byte{noise, few, long, make([]byte, 300_000), bytes.Repeat([]byte("abcdefg"), 5000), benchDepth(0)[:lz4BlockSize], benchColor(0)[:lz4BlockSize]}
	for n := range 80 {
		list = append(list, few[:n], make([]byte, n), noise[:n])
	}
	return list
}

// TestLZ4Block: what we compress the library decompresses, and so do we; with
// too little room the answer is 0.
func TestLZ4Block(t *testing.T) {
	var e lz4Encoder
	for i, src := range blocksOf() {
		frame := e.encode(nil, src)
		out := make([]byte, len(src))
		if n, err := lz4Decode(out, frame, true); err != nil || n != len(src) || !bytes.Equal(out, src) {
			t.Fatalf("content %d of %d bytes: %d, %v", i, len(src), n, err)
		}
		if len(src) <= lz4MatchLimit {
			continue
		}
		dst := make([]byte, lz4.CompressBlockBound(len(src)))
		n := lz4Compress(dst, src, &e.table)
		if k := lz4Torn(out, 0, dst[:n]); k != len(src) || !bytes.Equal(out, src) {
			t.Fatalf("content %d: torn decoder gives %d of %d", i, k, len(src))
		}
		rooms := []int{n / 2, n - 1, n, n + 1, n + lz4Slack}
		for room := range min(n, 80) {
			rooms = append(rooms, room)
		}
		for _, room := range rooms {
			checkRoom(t, src, room, &e.table)
		}
	}
}

// checkRoom: the encoder, which has no bounds checks, stays in its room.
func checkRoom(t *testing.T, src []byte, room int, table *lz4Table) {
	t.Helper()
	const guard = 64
	around := bytes.Repeat([]byte{0xA5}, guard+room+guard)
	if n := lz4Compress(around[guard:guard+room:guard+room], src, table); n > room {
		t.Fatalf("%d bytes in room for %d", n, room)
	}
	untouched := bytes.Repeat([]byte{0xA5}, guard)
	if !bytes.Equal(around[:guard], untouched) || !bytes.Equal(around[guard+room:], untouched) {
		t.Fatalf("wrote outside its room of %d bytes", room)
	}
}

// FuzzLZ4Compress: any bytes come back.
func FuzzLZ4Compress(f *testing.F) {
	for _, b := range blocksOf()[10:60] {
		f.Add(b, uint(len(b)/2))
	}
	f.Fuzz(func(t *testing.T, src []byte, room uint) {
		var e lz4Encoder
		out := make([]byte, len(src))
		if n, err := lz4Decode(out, e.encode(nil, src), true); err != nil || n != len(src) || !bytes.Equal(out, src) {
			t.Fatalf("%d bytes: %d, %v", len(src), n, err)
		}
		if len(src) > lz4MatchLimit {
			checkRoom(t, src, int(room%uint(2*len(src))), &e.table)
		}
	})
}

func BenchmarkLZ4Block(b *testing.B) {
	var e lz4Encoder
	var c lz4.Compressor
	dst := make([]byte, 2<<20)
	for name, src := range map[string][]byte{"depth": benchDepth(0)[:lz4BlockSize], "color": benchColor(0)[:lz4BlockSize]} {
		b.Run("ours/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			n := 0
			for b.Loop() {
				n = lz4Compress(dst, src, &e.table)
			}
			b.ReportMetric(float64(n)/float64(len(src)), "ratio")
		})
		b.Run("pierrec/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			n := 0
			for b.Loop() {
				n, _ = c.CompressBlock(src, dst)
			}
			b.ReportMetric(float64(n)/float64(len(src)), "ratio")
		})
	}
}
