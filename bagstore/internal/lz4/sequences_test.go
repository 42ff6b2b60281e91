package lz4

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"rsros/test/workload"
)

// overwritten is how many bytes a decoder may overwrite after its output.
const overwritten = 64

// arena holds the memory that blocks are decoded from and to.
type arena struct{ in, out workload.GuardedMemory }

func newArena(tb testing.TB, n int) *arena {
	return &arena{workload.Guarded(tb, n), workload.Guarded(tb, n)}
}

// check decodes a block with the assembly and in Go, appending to at most room bytes, with both slices
// first at the start and then at the end of accessible memory. Bytes and errors must be the same.
func (a *arena) check(t *testing.T, block []byte, room, before int) {
	t.Helper()
	defer func(was bool) { fast = was }(fast)
	fresh := make([]byte, before+room)
	for i := range fresh {
		fresh[i] = byte(i*7 + i>>8)
	}
	lows := []int{0, before}
	if before == 0 {
		lows = lows[:1]
	}
	for _, low := range lows {
		fast = false
		want := bytes.Clone(fresh)
		n, err := decodeSequences(want, low, before, block)
		fast = hasAssembly
		for _, cut := range []func(workload.GuardedMemory, int) []byte{workload.GuardedMemory.First, workload.GuardedMemory.Last} {
			src, dst := cut(a.in, len(block)), cut(a.out, len(fresh))
			copy(src, block)
			copy(dst, fresh)
			got, gotErr := decodeSequences(dst, low, before, src)
			if got != n || fmt.Sprint(gotErr) != fmt.Sprint(err) {
				t.Fatalf("block of %d bytes, room for %d after %d: %d, %v; in Go %d, %v", len(block), room, before, got, gotErr, n, err)
			}
			if !bytes.Equal(dst[:n], want[:n]) {
				t.Fatalf("block of %d bytes, room for %d after %d: other bytes than in Go", len(block), room, before)
			}
			if after := min(n+overwritten, len(dst)); !bytes.Equal(dst[after:], fresh[after:]) {
				t.Fatalf("block of %d bytes: wrote more than %d bytes after the %d good ones", len(block), overwritten, n)
			}
		}
	}
}

// sequence is one of a block; a match of 0 is none.
func sequence(literals []byte, back, match int) []byte {
	token := min(len(literals), 15) << 4
	if match > 0 {
		token |= min(match-minMatch, 15)
	}
	out := append([]byte{byte(token)}, lengthBytes(len(literals)-15)...)
	out = append(out, literals...)
	if match > 0 {
		out = append(out, byte(back), byte(back>>8))
		out = append(out, lengthBytes(match-minMatch-15)...)
	}
	return out
}

func lengthBytes(n int) []byte {
	if n < 0 {
		return nil
	}
	return append(bytes.Repeat([]byte{255}, n/255), byte(n%255))
}

// TestSequences checks matches of all short distances and of lengths near every limit, in the middle of
// a block and near its end.
func TestSequences(t *testing.T) {
	a := newArena(t, 4096)
	text := []byte("the first bytes of a block, none like the others: 0123456789ABCDEF")
	filler := bytes.Repeat([]byte{'.'}, 100)
	for back := 1; back <= 40; back++ {
		for _, match := range []int{4, 5, 15, 16, 17, 18, 19, 20, 31, 32, 33, 34, 47, 48, 49, 270, 273, 274, 275, 700} {
			for _, literals := range []int{0, 1, 14, 15, 16, 40} {
				block := append(sequence(text, 20, 4), sequence(text[:literals], back, match)...)
				n := len(text) + 4 + literals + match
				a.check(t, append(block, sequence(text[:5], 0, 0)...), n+5, 0)
				a.check(t, append(block, sequence(filler, 0, 0)...), n+len(filler), 0)
			}
		}
	}
}

// TestSequencesDamaged checks blocks cut at every byte, with too little room, and with random bytes
// changed.
func TestSequencesDamaged(t *testing.T) {
	a, rnd := newArena(t, 8192), rand.New(rand.NewPCG(1, 2))
	var e Encoder
	for _, src := range [][]byte{depth()[:3000], color()[:3000], bytes.Repeat([]byte("abcdefg"), 300)} {
		block := make([]byte, 2*len(src))
		block = block[:compressBlock(block, src, &e.table)]
		for cut := 0; cut < len(block); cut += 1 + cut/50 {
			a.check(t, block[:cut], len(src), cut%7)
		}
		for room := 0; room < len(src); room += 1 + room/40 {
			a.check(t, block, room, room%50)
		}
		for range 300 {
			odd := bytes.Clone(block)
			for range 1 + rnd.IntN(3) {
				odd[rnd.IntN(len(odd))] = byte(rnd.Uint32() >> rnd.IntN(8))
			}
			a.check(t, odd, len(src)+rnd.IntN(100), rnd.IntN(80))
		}
	}
}

// TestSequencesExtreme checks a length that exceeds 32 bits, and content without room.
func TestSequencesExtreme(t *testing.T) {
	long := append(bytes.Repeat([]byte{255}, 9<<20), 0)
	if n, end, ok := readLength(15, long, 0); n != mostLength || end != len(long) || !ok {
		t.Error(n, end, ok)
	}
	for _, kind := range []byte{0xF0, 0x0F} {
		block := append([]byte{kind, 'a', 1, 0}, long...)
		if n, err := decodeSequences(make([]byte, 100), 0, 0, block); n > 100 || err == nil {
			t.Error(n, err)
		}
	}
	if n, err := decodeSequences(nil, 0, 0, sequence([]byte("literals"), 0, 0)); n != 0 || err == nil {
		t.Error(n, err)
	}
}

// FuzzSequences decodes arbitrary blocks with the assembly and in Go.
func FuzzSequences(f *testing.F) {
	text := []byte("some bytes that repeat themselves. ")
	f.Add(sequence(text, 7, 300), uint16(500), uint16(0))
	f.Add(append(sequence(text, 1, 4), sequence(text[:3], 3, 18)...), uint16(200), uint16(3))
	f.Add(append(sequence(text, 100, 40), sequence(bytes.Repeat(text, 9), 0, 0)...), uint16(600), uint16(90))
	f.Add([]byte{0xFF, 255, 255}, uint16(9), uint16(0))
	a := newArena(f, 1<<17)
	f.Fuzz(func(t *testing.T, block []byte, room, before uint16) {
		if len(block) <= len(a.in) {
			a.check(t, block, int(room), int(before))
		}
	})
}
