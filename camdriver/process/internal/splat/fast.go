package splat

//go:generate go run -C ../../../../asm ./splat

import (
	"math/bits"

	"golang.org/x/sys/cpu"
)

// fast enables the assembly. Tests disable it for comparison.
var fast = assembly && cpu.X86.HasAVX2

const (
	lanes   = 8  // rectangles clipped per step
	streams = 16 // interleaved parts of a row
)

// scratch is the memory for a row of values.
type scratch struct {
	at     [3][]int32 // offsets of rows, by rectangle
	kind   []int32
	others []uint8
	p      parameters
}

// parameters are in the order of the assembly.
type parameters struct {
	right, bottom, stride [lanes]int32
	top, end              [lanes]int32 // of the written rows
}

// rectanglesFast draws the first rectangles of Rectangles and returns their number.
func (l *Layer) rectanglesFast(values []uint16, u0, v0, u1, v1 []int32) int {
	n := len(values) / streams * streams
	if !fast || n == 0 || l.canvas.width < 1 || l.canvas.height < 1 {
		return 0
	}
	s := &l.scratch
	if len(s.kind) < n {
		for i := range s.at {
			s.at[i] = make([]int32, n)
		}
		s.kind, s.others = make([]int32, n), make([]uint8, n/lanes)
	}
	for i := range lanes {
		s.p.right[i], s.p.bottom[i], s.p.stride[i] = int32(l.canvas.width-1),
			int32(l.canvas.height-1), int32(2*l.canvas.width)
		s.p.top[i], s.p.end[i] = int32(l.canvas.height), -1
	}
	at, corners := [3]*int32{&s.at[0][0], &s.at[1][0], &s.at[2][0]}, [4]*int32{&u0[0], &v0[0], &u1[0], &v1[0]}
	placeAVX2(&at, &s.kind[0], &s.others[0], &values[0], &corners, n, &s.p.right[0])
	top, end := s.p.top[0], s.p.end[0]
	for i := range lanes {
		top, end = min(top, s.p.top[i]), max(end, s.p.end[i])
	}
	if int(top) < l.first || int(end) > l.last {
		l.touch(int(top), int(end))
	}
	scatterAVX2(&l.least[0], &at, &s.kind[0], &values[0], n, n/streams)
	for group, others := range s.others[:n/lanes] {
		for ; others != 0; others &= others - 1 {
			i := group*lanes + bits.TrailingZeros8(others)
			l.walk(values[i:i+1], u0[i:], v0[i:], u1[i:], v1[i:])
		}
	}
	return n
}
