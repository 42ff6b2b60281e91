package splat

import (
	"math/bits"
	"sync"
)

// A layer draws rectangles directly until it has covered every pixel maxCover times. After
// that, it draws only those of at most smallSplat pixels.
const (
	maxCover   = 32
	smallSplat = 64
)

// large draws large rectangles in a time independent of their size. With absurd intrinsics, each depth pixel covers the
// whole image, and drawing them directly could take hours.
//
// A rectangle is the union of four overlapping ones whose sides are powers of two. All of
// those with the same sides are marked at their corners in one image. Splitting each mark
// into two of half the side leads to the next smaller size, down to pixels.
type large struct {
	mu   sync.Mutex
	list []rectangle
}

type rectangle struct {
	left, top, right, bottom int32
	value                    uint16 // minus 1
}

// add adds a rectangle.
func (l *large) add(r rectangle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, r)
}

// sides returns the logarithms of the largest powers of two within a rectangle's sides.
func (r rectangle) sides() (wide, high int) {
	return bits.Len32(uint32(r.right-r.left+1)) - 1, bits.Len32(uint32(r.bottom-r.top+1)) - 1
}

// paint draws all rectangles on a layer and removes them from the list.
func (l *large) paint(least []uint16, width, height int) {
	var some [32][32]bool // sides that occur
	for _, r := range l.list {
		wide, high := r.sides()
		some[wide][high] = true
	}
	// Marks of one width, and those of all widths so far with height 1.
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

// mark marks the corners of the rectangles with the given sides.
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

// marks is an image in which pixels are corners of rectangles.
type marks struct {
	least         []uint16
	width, height int
}

func (m marks) add(more []uint16) {
	for i, d := range more {
		m.least[i] = min(m.least[i], d)
	}
}

// splitDown splits each mark in two, the second one half rows below.
func (m marks) splitDown(half int) {
	for y := m.height - 1; y >= half; y-- {
		below, above := m.least[y*m.width:][:m.width], m.least[(y-half)*m.width:]
		for x := range below {
			below[x] = min(below[x], above[x])
		}
	}
}

// splitAcross splits each mark in two, the second one half columns to the right.
func (m marks) splitAcross(half int) {
	for y := range m.height {
		row := m.least[y*m.width:][:m.width]
		for x := len(row) - 1; x >= half; x-- {
			row[x] = min(row[x], row[x-half])
		}
	}
}
