package splat

import (
	"math/bits"
	"sync"
)

// How much of a canvas a layer walks rectangle by rectangle: every pixel maxCover
// times, then only rectangles of at most smallSplat pixels.
const (
	maxCover   = 32
	smallSplat = 64
)

// large are rectangles that cover so much of the canvas that walking them all
// could take hours: absurd intrinsics make each depth pixel cover the whole image.
// They are painted together, in a time that doesn't depend on their size.
//
// A rectangle is the union of four overlapping ones whose sides are powers of two.
// All of those with the same sides are marked in one image, each at its corner.
// Splitting every mark of an image into two of half the side brings it to the next
// smaller size, down to single pixels.
type large struct {
	mu   sync.Mutex
	list []rectangle
}

type rectangle struct {
	left, top, right, bottom int32
	value                    uint16 // less 1
}

// add puts a rectangle aside.
func (l *large) add(r rectangle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, r)
}

// sides are the logarithms of the largest powers of two in a rectangle's sides.
func (r rectangle) sides() (wide, high int) {
	return bits.Len32(uint32(r.right-r.left+1)) - 1, bits.Len32(uint32(r.bottom-r.top+1)) - 1
}

// paint brings all rectangles into a layer, and forgets them.
func (l *large) paint(least []uint16, width, height int) {
	var some [32][32]bool // rectangles of these sides
	for _, r := range l.list {
		wide, high := r.sides()
		some[wide][high] = true
	}
	// Of one width, with all heights brought down to 1; and of all widths so far.
	column, all := marks{make([]uint16, width*height), width, height}, marks{make([]uint16, width*height), width, height}
	empty(all.least)
	for wide := bits.Len(uint(width)) - 1; wide >= 0; wide-- {
		if some[wide] != [32]bool{} {
			empty(column.least)
			for high := bits.Len(uint(height)) - 1; high >= 0; high-- {
				if some[wide][high] {
					l.mark(column, wide, high)
				}
				if high > 0 {
					column.splitDown(1 << (high - 1))
				}
			}
			all.add(column.least)
		}
		if wide > 0 {
			all.splitAcross(1 << (wide - 1))
		}
	}
	for i, d := range all.least {
		least[i] = min(least[i], d)
	}
	l.list = nil
}

// mark marks the corners of the rectangles with some sides.
func (l *large) mark(m marks, wide, high int) {
	for _, r := range l.list {
		if w, h := r.sides(); w != wide || h != high {
			continue
		}
		for _, y := range [2]int{int(r.top), int(r.bottom) + 1 - 1<<high} {
			for _, x := range [2]int{int(r.left), int(r.right) + 1 - 1<<wide} {
				i := y*m.width + x
				m.least[i] = min(m.least[i], r.value)
			}
		}
	}
}

// marks is an image in which a pixel is the corner of a rectangle.
type marks struct {
	least         []uint16
	width, height int
}

func (m marks) add(more []uint16) {
	for i, d := range more {
		m.least[i] = min(m.least[i], d)
	}
}

// splitDown makes two of each mark, the second half rows below. It goes up, so
// that none is split twice.
func (m marks) splitDown(half int) {
	for y := m.height - 1; y >= half; y-- {
		below, above := m.least[y*m.width:][:m.width], m.least[(y-half)*m.width:]
		for x := range below {
			below[x] = min(below[x], above[x])
		}
	}
}

// splitAcross makes two of each mark, the second half columns to the right.
func (m marks) splitAcross(half int) {
	for y := range m.height {
		row := m.least[y*m.width:][:m.width]
		for x := len(row) - 1; x >= half; x-- {
			row[x] = min(row[x], row[x-half])
		}
	}
}
