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

// large are rectangles that cover so much of the target that walking them
// all could take hours: absurd intrinsics make each depth pixel cover the whole
// image. They are painted together, in a time that doesn't depend on their size.
//
// A rectangle is the union of four overlapping ones whose sides are powers of two.
// All of those with the same sides are kept in one image, each at its corner; an
// image is then halved into the next smaller one, down to single pixels.
type large struct {
	mu            sync.Mutex
	list          []rectangle
	width, height int
	levels        [][]uint16 // by log2 of the width: the height being halved
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

// paint brings all rectangles into a layer.
func (l *large) paint(least []uint16, width, height int) {
	l.width, l.height = width, height
	n := width * height
	l.levels = make([][]uint16, bits.Len(uint(l.width)))
	for i := range l.levels {
		l.levels[i] = make([]uint16, n)
		empty(l.levels[i])
	}
	for high := bits.Len(uint(l.height)) - 1; high >= 0; high-- {
		for _, s := range l.list {
			if bits.Len(uint(s.bottom-s.top+1))-1 == high {
				l.put(s, high)
			}
		}
		if high > 0 {
			for _, level := range l.levels {
				l.halveDown(level, 1<<(high-1))
			}
		}
	}
	for wide := len(l.levels) - 1; wide > 0; wide-- {
		l.halveAcross(l.levels[wide-1], l.levels[wide], 1<<(wide-1))
	}
	for i, d := range l.levels[0] {
		least[i] = min(least[i], d)
	}
	l.list, l.levels = nil, nil
}

// put marks the four corners of a rectangle.
func (l *large) put(s rectangle, high int) {
	wide := bits.Len(uint(s.right-s.left+1)) - 1
	level := l.levels[wide]
	for _, y := range [2]int{int(s.top), int(s.bottom) + 1 - 1<<high} {
		for _, x := range [2]int{int(s.left), int(s.right) + 1 - 1<<wide} {
			i := y*l.width + x
			level[i] = min(level[i], s.value)
		}
	}
}

// halveDown splits all marks into two of half the height. From the bottom up, so
// that no half is split again.
func (l *large) halveDown(level []uint16, half int) {
	for y := l.height - 1; y >= half; y-- {
		below, above := level[y*l.width:][:l.width], level[(y-half)*l.width:]
		for x := range below {
			below[x] = min(below[x], above[x])
		}
	}
}

// halveAcross splits all marks of one level into the next.
func (l *large) halveAcross(to, from []uint16, half int) {
	for y := range l.height {
		t, f := to[y*l.width:][:l.width], from[y*l.width:][:l.width]
		for x, d := range f {
			t[x] = min(t[x], d)
			if x+half < len(t) {
				t[x+half] = min(t[x+half], d)
			}
		}
	}
}
