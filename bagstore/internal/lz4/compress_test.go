package lz4

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	pierrec "github.com/pierrec/lz4/v4"

	"rsros/test/workload"
)

func depth() []byte { return workload.Depth(make([]byte, workload.DepthSize), 0) }
func color() []byte { return workload.Color(make([]byte, workload.ColorSize), 0) }

// blocksOf returns contents that exercise the edge cases of an encoder.
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
	list := [][]byte{noise, few, long, make([]byte, 300_000), bytes.Repeat([]byte("abcdefg"), 5000), depth()[:BlockSize], color()[:BlockSize]}
	for n := range 80 {
		list = append(list, few[:n], make([]byte, n), noise[:n])
	}
	for _, size := range []int{1, 2, 3, 4, 6, 8, 15, 16} {
		runs := pixels(rnd, size)
		list = append(list, runs, runs[:50+rnd.IntN(150)])
	}
	return list
}

// pixels returns runs of equal pixels of size bytes; some runs are long.
func pixels(rnd *rand.Rand, size int) (list []byte) {
	for len(list) < 3000 {
		pixel := make([]byte, size)
		for i := range pixel {
			pixel[i] = byte(rnd.Uint32())
		}
		list = append(list, bytes.Repeat(pixel, 1+rnd.IntN(2+rnd.IntN(60)/size))...)
	}
	return list
}

// TestCompress checks that the library and we decompress what we compress, and that the result is 0 if
// there is too little room.
func TestCompress(t *testing.T) {
	var e Encoder
	a := newArena(t, 2*BlockSize)
	for i, src := range blocksOf() {
		frame := e.Append(nil, src)
		out := make([]byte, len(src))
		if n, err := Decode(out, frame, true); err != nil || n != len(src) || !bytes.Equal(out, src) {
			t.Fatalf("content %d of %d bytes: %d, %v", i, len(src), n, err)
		}
		if len(src) <= matchMargin {
			continue
		}
		dst := a.compress(t, src, pierrec.CompressBlockBound(len(src))+slack, &e.table)
		n := len(dst)
		if len(src) < BlockSize {
			a.check(t, dst, len(src), 0)
		}
		if k, err := decodeSequences(out, 0, 0, dst); k != len(src) || err != nil || !bytes.Equal(out, src) {
			t.Fatalf("content %d: %d of %d bytes, %v", i, k, len(src), err)
		}
		rooms := []int{n / 2, n - 1, n, n + 1, n + slack}
		for room := range min(n, 80) {
			rooms = append(rooms, room)
		}
		for _, room := range rooms {
			a.compress(t, src, room, &e.table)
		}
	}
}

// compress compresses src in Go and with the assembly, with both slices first at the start and then at
// the end of accessible memory. The results must be the same; the assembly is compared with Go where
// both use the same table.
func (a *arena) compress(t *testing.T, src []byte, room int, table *hashTable) []byte {
	t.Helper()
	defer func(was bool) { fast = was }(fast)
	var want []byte
	for _, fast = range []bool{false, hasAssembly && hasWide} {
		want = make([]byte, room)
		if fast {
			d, anchor := compressSequences(want, src, &positions[uint16]{})
			want = want[:endBlock(want, src, d, anchor)]
		} else {
			want = want[:compressBlock(want, src, table)]
		}
		for _, cut := range []func(workload.GuardedMemory, int) []byte{workload.GuardedMemory.First, workload.GuardedMemory.Last} {
			from, to := cut(a.in, len(src)), cut(a.out, room)
			copy(from, src)
			if got := to[:compressBlock(to, from, table)]; !bytes.Equal(got, want) {
				t.Fatalf("%d bytes into room for %d, assembly %t: %d bytes that aren't the %d that Go makes", len(src), room, fast, len(got), len(want))
			}
		}
	}
	return want
}

// TestCompressTwo checks that blocks which are compressed together are those compressed alone, also if
// one is much longer or doesn't fit.
func TestCompressTwo(t *testing.T) {
	a, list := newArena(t, 2*BlockSize), blocksOf()
	for i, src := range list {
		other := list[(i*7+3)%len(list)]
		if len(src) <= matchMargin || len(other) <= matchMargin || len(src)+len(other) > len(a.in) {
			continue
		}
		for _, room := range []int{len(src) + len(src)/100 + slack + 16, len(src) / 2, 0} {
			a.compressTwo(t, src, other, room)
			a.compressTwo(t, other, src, room)
		}
	}
}

// compressTwo compresses two blocks at once, next to each other and to inaccessible memory, and compares them
// with what Go makes of each.
func (a *arena) compressTwo(t *testing.T, first, second []byte, room int) {
	t.Helper()
	var table hashTable
	jobs := [2]job{
		{dst: a.out.First(min(room, len(a.out)/2)), src: a.in.First(len(first))},
		{dst: a.out.Last(len(a.out) / 2), src: a.in.Last(len(second))},
	}
	copy(jobs[0].src, first)
	copy(jobs[1].src, second)
	compressBoth(&jobs, &table)
	for i := range jobs {
		j, want := &jobs[i], make([]byte, len(jobs[i].dst))
		var d, anchor int
		if fast && hasWide {
			d, anchor = compressSequences(want, j.src, &positions[uint16]{})
		} else {
			d, anchor = compressSequences(want, j.src, &table)
		}
		if j.d != d || d >= 0 && (j.anchor != anchor || !bytes.Equal(j.dst[:d], want[:d])) {
			t.Fatalf("block %d of %d and %d bytes: %d bytes up to %d, alone %d up to %d", i, len(first), len(second), j.d, j.anchor, d, anchor)
		}
	}
}

// FuzzCompress compresses and decompresses arbitrary bytes.
func FuzzCompress(f *testing.F) {
	for _, b := range blocksOf()[10:60] {
		f.Add(b, uint(len(b)/2))
	}
	a := newArena(f, 1<<20)
	f.Fuzz(func(t *testing.T, src []byte, room uint) {
		var e Encoder
		out := make([]byte, len(src))
		if n, err := Decode(out, e.Append(nil, src), true); err != nil || n != len(src) || !bytes.Equal(out, src) {
			t.Fatalf("%d bytes: %d, %v", len(src), n, err)
		}
		if len(src) > matchMargin && len(src) <= len(a.in)/2 {
			a.compress(t, src, int(room%uint(2*len(src))), &e.table)
		}
		if cut := int(room % uint(len(src)+1)); min(cut, len(src)-cut) > matchMargin && len(src) <= len(a.in)/2 {
			a.compressTwo(t, src[:cut], src[cut:], len(src))
		}
	})
}

// compressAll compresses src in blocks, as an Encoder does, and returns the sum of their lengths.
func compressAll(dst, src []byte, table *hashTable) (n int) {
	for ; len(src) > 0; src = src[2*BlockSize:] {
		jobs := [2]job{{dst: dst[:len(dst)/2], src: src[:BlockSize]}, {dst: dst[len(dst)/2:], src: src[BlockSize : 2*BlockSize]}}
		compressBoth(&jobs, table)
		n += jobs[0].end() + jobs[1].end()
	}
	return n
}

// BenchmarkBlock compresses 1 MiB of camera images, and decompresses it as one block.
func BenchmarkBlock(b *testing.B) {
	var e Encoder
	var c pierrec.Compressor
	for name, src := range map[string][]byte{"depth": depth()[:1<<20], "color": color()[:1<<20]} {
		dst, out := make([]byte, 2<<20), make([]byte, 1<<20)
		block := make([]byte, 2<<20)
		block = block[:compressBlock(block, src, &e.table)]
		for _, work := range []struct {
			name string
			do   func() (int, error)
		}{
			{"compress/ours", func() (int, error) { return compressAll(dst, src, &e.table), nil }},
			{"compress/go", func() (int, error) {
				defer func(was bool) { fast = was }(fast)
				fast = false
				return compressAll(dst, src, &e.table), nil
			}},
			{"compress/pierrec", func() (int, error) { return c.CompressBlock(src, dst) }},
			{"decode/ours", func() (int, error) { return decodeSequences(out, 0, 0, block) }},
			{"decode/pierrec", func() (int, error) { return pierrec.UncompressBlock(block, out) }},
			{"checksum", func() (int, error) { return int(xxh32(src)), nil }},
		} {
			b.Run(work.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				n := 0
				for b.Loop() {
					var err error
					if n, err = work.do(); err != nil {
						b.Fatal(err)
					}
				}
				if strings.HasPrefix(work.name, "compress") {
					b.ReportMetric(float64(n)/float64(len(src)), "ratio")
				}
			})
		}
	}
}

// compressBlock compresses a block of more than matchMargin bytes. It returns the length, 0 if dst
// is too small.
func compressBlock(dst, src []byte, table *hashTable) int {
	jobs := [2]job{{dst: dst, src: src}}
	compressBoth(&jobs, table)
	return jobs[0].end()
}
