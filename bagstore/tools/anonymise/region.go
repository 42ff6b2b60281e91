package anonymise

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Style is how a region is made unrecognizable.
type Style string

// The styles. Of a masked region nothing is left. The others keep its rough brightness and colours.
const (
	Mask     Style = "mask"     // black; depth becomes 0, or NaN if it is a float
	Blur     Style = "blur"     // means over a quarter of the region, three times
	Pixelate Style = "pixelate" // at most 8 by 8 squares
)

// sample is how a number is stored.
type sample struct {
	size          int // bytes: 1, 2, 4 or 8
	signed, float bool
	order         binary.ByteOrder
}

func (s sample) get(b []byte) float64 {
	switch {
	case s.float && s.size == 8:
		return math.Float64frombits(s.order.Uint64(b))
	case s.float:
		return float64(math.Float32frombits(s.order.Uint32(b)))
	case s.size == 1 && s.signed:
		return float64(int8(b[0]))
	case s.size == 1:
		return float64(b[0])
	case s.size == 2 && s.signed:
		return float64(int16(s.order.Uint16(b)))
	case s.size == 2:
		return float64(s.order.Uint16(b))
	}
	return float64(int32(s.order.Uint32(b)))
}

// put stores v, a mean of samples, rounded.
func (s sample) put(b []byte, v float64) {
	switch {
	case s.float && s.size == 8:
		s.order.PutUint64(b, math.Float64bits(v))
	case s.float:
		s.order.PutUint32(b, math.Float32bits(float32(v)))
	case s.size == 1:
		b[0] = byte(int(math.Round(v)))
	case s.size == 2:
		s.order.PutUint16(b, uint16(int(math.Round(v))))
	default:
		s.order.PutUint32(b, uint32(int32(math.Round(v))))
	}
}

// layout is how an encoding stores pixels: in units of cols by rows pixels whose samples belong
// together, with the same number of samples in each row.
type layout struct {
	sample     sample
	cols, rows int
	row        int       // samples in a unit's row
	alpha      bool      // the last sample is opacity, which stays
	mask       []float64 // a pixel's samples in black; nil: all 0
}

func plain(size, samples int) layout {
	return layout{sample: sample{size: size}, cols: 1, rows: 1, row: samples}
}

func withAlpha(size int) layout {
	l := plain(size, 4)
	l.alpha = true
	return l
}

func yuv(mask ...float64) layout {
	return layout{sample: sample{size: 1}, cols: 2, rows: 1, row: 4, mask: mask}
}

func bayer(size int) layout { return layout{sample: sample{size: size}, cols: 2, rows: 2, row: 2} }

var layouts = map[string]layout{
	"mono8": plain(1, 1), "mono16": plain(2, 1),
	"rgb8": plain(1, 3), "bgr8": plain(1, 3), "rgb16": plain(2, 3), "bgr16": plain(2, 3),
	"rgba8": withAlpha(1), "bgra8": withAlpha(1), "rgba16": withAlpha(2), "bgra16": withAlpha(2),
	"yuyv": yuv(16, 128), "yuv422_yuy2": yuv(16, 128), "uyvy": yuv(128, 16), "yuv422": yuv(128, 16),
	"z16": plain(2, 1), // depth of Orbbec's recorder
}

// layoutOf returns the layout of an encoding of sensor_msgs/Image.
func layoutOf(encoding string, bigEndian bool) (l layout, ok bool) {
	if l, ok = layouts[encoding]; !ok {
		l, ok = sized(encoding)
	}
	if strings.HasPrefix(encoding, "bayer_") {
		l, ok = bayer(1), strings.HasSuffix(encoding, "8")
		if strings.HasSuffix(encoding, "16") {
			l, ok = bayer(2), true
		}
	}
	l.sample.order = binary.LittleEndian
	if bigEndian {
		l.sample.order = binary.BigEndian
	}
	return l, ok
}

// sized returns the layout of an encoding that names the size, kind and number of samples, such as "16UC1".
func sized(name string) (l layout, ok bool) {
	kind := strings.IndexAny(name, "USF")
	if kind < 0 || !strings.HasPrefix(name[kind+1:], "C") {
		return l, false
	}
	bits, _ := strconv.Atoi(name[:kind])
	samples, _ := strconv.Atoi(name[kind+2:])
	if samples < 1 || samples > 64 {
		return l, false
	}
	l = plain(bits/8, samples)
	switch name[kind] {
	case 'U':
		return l, bits == 8 || bits == 16
	case 'S':
		l.sample.signed = true
		return l, bits == 8 || bits == 16 || bits == 32
	}
	l.sample.float = true
	if samples == 1 { // depth
		l.mask = []float64{math.NaN()}
	}
	return l, bits == 32 || bits == 64
}

// bitmap is an image in memory. Its methods change data.
type bitmap struct {
	layout
	width, height int
	step          int // bytes from row to row
	data          []byte
}

// check checks that data has all pixels, on which the other methods rely.
func (p *bitmap) check() error {
	const maxStep = 1 << 24
	pixel := p.row / p.cols * p.sample.size
	need := int64(p.step)*int64(p.height-1) + int64(pixel*p.width) // more than an int of 32 bits holds
	switch {
	case p.width <= 0 || p.height <= 0 || p.width > 1<<16 || p.height > 1<<16:
		return fmt.Errorf("size is %dx%d, want 1 to 65536", p.width, p.height)
	case p.cols > p.rows && p.width%p.cols != 0:
		return fmt.Errorf("pixels are stored in pairs, but the width is %d", p.width)
	case p.step < pixel*p.width || p.step > maxStep:
		return fmt.Errorf("rows have %d bytes, %d pixels of %d bytes need %d to %d", p.step, p.width, pixel, pixel*p.width, maxStep)
	case int64(len(p.data)) < need:
		return fmt.Errorf("data has %d bytes, %d rows of %d need %d", len(p.data), p.height, p.step, need)
	}
	return nil
}

// region is a box in whole pixels within an image.
type region struct{ left, top, right, bottom int }

// within returns the pixels of an image that a box touches, after it has grown on each side by a share
// of its size. The error is for a box outside of the image.
func (b box) within(width, height int, grow float64) (region, error) {
	w, h := grow*(b.right-b.left), grow*(b.bottom-b.top)
	r := region{
		left: int(max(0, math.Floor(b.left-w))), right: int(min(float64(width), math.Ceil(b.right+w))),
		top: int(max(0, math.Floor(b.top-h))), bottom: int(min(float64(height), math.Ceil(b.bottom+h))),
	}
	if r.left >= r.right || r.top >= r.bottom {
		return r, fmt.Errorf("a box from %g, %g to %g, %g outside of the image of %dx%d", b.left, b.top, b.right, b.bottom, width, height)
	}
	return r, nil
}

// hide makes regions unrecognizable.
func (p *bitmap) hide(style Style, regions []region) {
	for _, r := range regions {
		// Samples of a unit belong to all of its pixels.
		r.left, r.top = r.left/p.cols*p.cols, r.top/p.rows*p.rows
		r.right, r.bottom = min((r.right+p.cols-1)/p.cols*p.cols, p.width), min((r.bottom+p.rows-1)/p.rows*p.rows, p.height)
		whole := r
		if style != Mask {
			whole.right, whole.bottom = r.right/p.cols*p.cols, r.bottom/p.rows*p.rows
			p.obscure(style, whole)
			// The last column or row of a Bayer image of an odd size belongs to no unit.
			p.black(region{whole.right, r.top, r.right, r.bottom})
			p.black(region{r.left, whole.bottom, r.right, r.bottom})
			continue
		}
		p.black(r)
	}
}

// black masks a region, which may be empty.
func (p *bitmap) black(r region) {
	size, samples := p.sample.size, p.row/p.cols
	for y := r.top; y < r.bottom; y++ {
		row := p.data[y*p.step:]
		for x := r.left; x < r.right; x++ {
			for i := range samples {
				if p.alpha && i == samples-1 {
					continue
				}
				v := 0.0
				if p.mask != nil {
					v = p.mask[i]
				}
				p.sample.put(row[(x*samples+i)*size:], v)
			}
		}
	}
}

// obscure blurs or pixelates a region of whole units, each kind of sample by itself.
func (p *bitmap) obscure(style Style, r region) {
	size := p.sample.size
	for i := range p.row * p.rows {
		if p.alpha && i == p.row-1 {
			continue
		}
		c := channel{sample: p.sample, data: p.data, dx: p.row * size, dy: p.rows * p.step,
			width: (r.right - r.left) / p.cols, height: (r.bottom - r.top) / p.rows}
		c.at = (r.top+i/p.row)*p.step + r.left/p.cols*c.dx + i%p.row*size
		if style == Pixelate {
			c.pixelate()
		} else {
			c.blur()
		}
	}
}

// channel is the samples of one kind in a region.
type channel struct {
	sample
	data          []byte
	at            int // of the first sample
	dx, dy        int // bytes to the next in a row and in a column
	width, height int
}

// longer returns the length of the region's longer side.
func (c *channel) longer() int { return max(c.width, c.height) }

func (c *channel) pixelate() {
	const squares, least = 8, 8
	side := max((c.longer()+squares-1)/squares, least)
	for top := 0; top < c.height; top += side {
		for left := 0; left < c.width; left += side {
			c.square(left, top, min(left+side, c.width), min(top+side, c.height))
		}
	}
}

// square replaces samples by their mean.
func (c *channel) square(left, top, right, bottom int) {
	sum, count := 0.0, 0
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			if v := c.get(c.data[c.at+y*c.dy+x*c.dx:]); finite(v) {
				sum, count = sum+v, count+1
			}
		}
	}
	mean := math.NaN()
	if count > 0 {
		mean = sum / float64(count)
	}
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			c.put(c.data[c.at+y*c.dy+x*c.dx:], mean)
		}
	}
}

func (c *channel) blur() {
	const share, least = 8, 4
	radius := max(c.longer()/share, least)
	m := means{sums: make([]float64, c.longer()+1), counts: make([]int, c.longer()+1)}
	for range 3 {
		for y := range c.height {
			m.line(c, c.at+y*c.dy, c.dx, c.width, radius)
		}
		for x := range c.width {
			m.line(c, c.at+x*c.dx, c.dy, c.height, radius)
		}
	}
}

// means has the sums and counts of a line's samples before each one.
type means struct {
	sums   []float64
	counts []int
}

// line replaces each of n samples by the mean of those up to radius away.
func (m means) line(c *channel, at, step, n, radius int) {
	for i := range n {
		v, one := c.get(c.data[at+i*step:]), 1
		if !finite(v) {
			v, one = 0, 0
		}
		m.sums[i+1], m.counts[i+1] = m.sums[i]+v, m.counts[i]+one
	}
	for i := range n {
		from, to := max(i-radius, 0), min(i+radius+1, n)
		if count := m.counts[to] - m.counts[from]; count > 0 {
			c.put(c.data[at+i*step:], (m.sums[to]-m.sums[from])/float64(count))
		}
	}
}

// finite reports whether v is neither NaN, as depth may be, nor infinite.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
