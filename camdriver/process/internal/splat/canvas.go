// Package splat draws rectangles with depth values; each pixel keeps the least. Several
// goroutines may draw concurrently on different layers.
package splat

// Canvas is an image to draw on. It is reusable.
type Canvas struct {
	width, height int
	layers        []Layer
	large         large
}

// Layer is the part of a canvas drawn by one goroutine. Rows are cleared on first use.
type Layer struct {
	canvas         *Canvas
	least          []uint16 // values minus 1, so that none is the largest
	first, last    int      // rows in use
	walked, budget int      // in pixels
	scratch        scratch
}

// none marks a pixel without a value.
const none = 65535

// slack is the number of values after the last row that may be written.
const slack = 3

// Begin clears the canvas.
func (c *Canvas) Begin(width, height, layers int) {
	c.width, c.height = width, height
	if len(c.layers) < layers {
		c.layers = make([]Layer, layers)
	}
	n := width * height
	for i := range c.layers {
		l := &c.layers[i]
		if cap(l.least) < n+slack {
			l.least = make([]uint16, n+slack)
		}
		*l = Layer{canvas: c, least: l.least[:n], first: 1, budget: maxCover * n, scratch: l.scratch}
	}
	c.large.list = c.large.list[:0]
}

// Layer returns layer i.
func (c *Canvas) Layer(i int) *Layer { return &c.layers[i] }

// touch marks rows as in use and clears new ones.
func (l *Layer) touch(from, to int) {
	width := l.canvas.width
	if l.first > l.last {
		l.first, l.last = from, from-1
	}
	if from < l.first {
		empty(l.least[from*width : l.first*width])
		l.first = from
	}
	if to > l.last {
		empty(l.least[(l.last+1)*width : (to+1)*width])
		l.last = to
	}
}

func empty(row []uint16) {
	for i := range row {
		row[i] = none
	}
}

// Rectangles draws rectangles from u0, v0 to u1, v1 inclusive, except for value 0. It leaves large ones to Finish.
func (l *Layer) Rectangles(values []uint16, u0, v0, u1, v1 []int32) {
	n := len(values)
	u0, v0, u1, v1 = u0[:n], v0[:n], u1[:n], v1[:n]
	n = l.rectanglesFast(values, u0, v0, u1, v1)
	l.walk(values[n:], u0[n:], v0[n:], u1[n:], v1[n:])
}

// walk is Rectangles without assembly.
func (l *Layer) walk(values []uint16, u0, v0, u1, v1 []int32) {
	width, height := int32(l.canvas.width), int32(l.canvas.height)
	n := len(values)
	u0, v0, u1, v1 = u0[:n], v0[:n], u1[:n], v1[:n]
	for i, d := range values {
		if d == 0 {
			continue
		}
		left, top := max(u0[i], 0), max(v0[i], 0)
		right, bottom := min(u1[i], width-1), min(v1[i], height-1)
		if left > right || top > bottom {
			continue
		}
		area := int(right-left+1) * int(bottom-top+1)
		if area > smallSplat && l.walked > l.budget-area {
			l.canvas.large.add(rectangle{left, top, right, bottom, d - 1})
			continue
		}
		l.walked += area // without large ones, whose sum may exceed 32 bits
		if int(top) < l.first || int(bottom) > l.last {
			l.touch(int(top), int(bottom))
		}
		least, v, n := l.least[int(top)*int(width)+int(left):], d-1, int(right-left)+1
		for y := top; ; y++ {
			switch n { // optimize for small rectangles
			case 1:
				least[0] = min(least[0], v)
			case 2:
				row := least[:2]
				row[0], row[1] = min(row[0], v), min(row[1], v)
			case 3:
				row := least[:3]
				row[0], row[1], row[2] = min(row[0], v), min(row[1], v), min(row[2], v)
			default:
				row := least[:n]
				for x := range row {
					row[x] = min(row[x], v)
				}
			}
			if y == bottom {
				break
			}
			least = least[width:]
		}
	}
}

// Finish draws large rectangles. Call it when all layers are done.
func (c *Canvas) Finish() {
	if len(c.large.list) > 0 {
		c.layers[0].touch(0, c.height-1)
		c.large.paint(c.layers[0].least, c.width, c.height)
	}
}

// Row writes a row of the image. Pixels without a value are 0. It may be called from several goroutines after Finish.
func (c *Canvas) Row(out []uint16, y int) {
	blank := true
	for i := range c.layers {
		l := &c.layers[i]
		if y < l.first || y > l.last {
			continue
		}
		row := l.least[y*c.width:][:len(out)]
		if blank {
			for x, d := range row {
				out[x] = d + 1 // none becomes 0
			}
			blank = false
			continue
		}
		for x, d := range row {
			out[x] = min(out[x]-1, d) + 1
		}
	}
	if blank {
		clear(out)
	}
}
