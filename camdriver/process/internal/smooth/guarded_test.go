package smooth

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"rsros/test/workload"
)

// numbers returns n numbers next to a guard page, at the beginning or the end of memory.
func numbers[T any](m workload.GuardedMemory, n int, atEnd bool) []T {
	size := n * int(unsafe.Sizeof(*new(T)))
	b := m.First(size)
	if atEnd {
		b = m.Last(size)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// TestGuarded checks that means and fading stay within their slices, with the same results as without assembly.
func TestGuarded(t *testing.T) {
	const most = 40
	var memory [9]workload.GuardedMemory
	for i := range memory {
		memory[i] = workload.Guarded(t, 2*8*most)
	}
	s := source{rand.New(rand.NewPCG(7, 7))}
	was := fast
	defer func() { fast = was }()
	for n := 1; n <= most; n++ {
		for _, atEnd := range []bool{false, true} {
			for _, by := range []int{4, 8} {
				rows := make([][]uint16, by)
				for i := range rows {
					rows[i] = numbers[uint16](memory[i], n*by, atEnd)
					copy(rows[i], s.depth(n*by))
				}
				got, want := numbers[uint16](memory[8], n, atEnd), make([]uint16, n)
				Mean(got, rows)
				fast = false
				Mean(want, rows)
				fast = was
				if !slices.Equal(got, want) {
					t.Fatalf("%d means of %d: %v, want %v", n, by, got, want)
				}
			}
			var fade Fading
			fade.SetAlpha(0.4)
			fade.Delta = 20
			for i := range fade.Rule {
				fade.Rule[i] = s.Uint32()
			}
			in, last := numbers[float32](memory[0], n, atEnd), numbers[float32](memory[1], n, atEnd)
			out, history := numbers[float32](memory[2], n, atEnd), numbers[uint8](memory[3], n, atEnd)
			copy(in, s.disparity(n))
			copy(last, s.disparity(n))
			for i := range history {
				history[i] = uint8(s.Uint32())
			}
			wantOut, wantLast, wantHistory := make([]float32, n), slices.Clone(last), slices.Clone(history)
			fade.Disparity(out, in, last, history)
			fast = false
			fade.Disparity(wantOut, in, wantLast, wantHistory)
			fast = was
			if !sameBits(out, wantOut) || !sameBits(last, wantLast) || !slices.Equal(history, wantHistory) {
				t.Fatalf("%d pixels: %v, want %v", n, out, wantOut)
			}
		}
	}
}
