package smooth

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"rsros/test/workload"
)

// source generates rows like a depth camera's: surfaces, steps, holes, extremes.
type source struct{ *rand.Rand }

func (s source) depth(n int) []uint16 {
	out, d := make([]uint16, n), s.IntN(3000)
	for i := range out {
		switch s.IntN(12) {
		case 0:
			d = s.IntN(65536)
		case 1:
			d = s.IntN(30)
		}
		d = min(max(d+s.IntN(9)-4, 0), 65535)
		if out[i] = uint16(d); s.IntN(6) == 0 {
			out[i] = 0
		}
	}
	return out
}

func (s source) disparity(n int) []float32 {
	out := make([]float32, n)
	for i, d := range s.depth(n) {
		if d != 0 {
			out[i] = 20000 / float32(d)
		}
		if s.IntN(60) == 0 {
			out[i] = []float32{float32(math.Copysign(0, -1)), -3, float32(math.NaN()), float32(math.Inf(1))}[s.IntN(4)]
		}
	}
	return out
}

func seeds(f *testing.F) {
	for i := range uint64(80) {
		f.Add(i)
	}
}

// guarded is memory between guard pages, to detect accesses outside of slices.
type guarded []workload.GuardedMemory

func newGuarded(f *testing.F, n, size int) guarded {
	list := make(guarded, n)
	for i := range list {
		list[i] = workload.Guarded(f, size)
	}
	return list
}

// at returns a copy of list in memory i, next to the guard page at its beginning or its end.
func at[T any](g guarded, i int, list []T, atEnd bool) []T {
	size := len(list) * int(unsafe.Sizeof(*new(T)))
	b := g[i].First(size)
	if atEnd {
		b = g[i].Last(size)
	}
	out := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(list))
	copy(out, list)
	return out
}

// lowerMedian sorts the values other than 0.
func lowerMedian(patch []uint16) uint16 {
	valid := slices.DeleteFunc(slices.Clone(patch), func(d uint16) bool { return d == 0 })
	if len(valid) == 0 {
		return 0
	}
	slices.Sort(valid)
	return valid[(len(valid)-1)/2]
}

// FuzzPatches compares medians and means with a simple implementation.
func FuzzPatches(f *testing.F) {
	seeds(f)
	const most = 40
	memory := newGuarded(f, 9, 2*8*most)
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := source{rand.New(rand.NewPCG(seed, 2))}
		n, by, atEnd := 1+s.IntN(most), 2+s.IntN(7), s.IntN(2) == 0
		rows := make([][]uint16, by)
		for i := range rows {
			rows[i] = at(memory, i, s.depth(n*by), atEnd)
		}
		medians := make([]uint16, n)
		switch by {
		case 2:
			Median4(medians, rows[0], rows[1])
		case 3:
			Median9(medians, rows[0], rows[1], rows[2])
		}
		means := [2][]uint16{at(memory, by, medians, atEnd), make([]uint16, n)} // with and without assembly
		defer func(was bool) { fast = was }(fast)
		Mean(means[0], rows)
		fast = false
		Mean(means[1], rows)
		for i := range n {
			var patch []uint16
			sum, count := uint32(0), uint32(0)
			for _, row := range rows {
				patch = append(patch, row[i*by:][:by]...)
			}
			for _, d := range patch {
				if sum += uint32(d); d != 0 {
					count++
				}
			}
			want := uint16(sum / max(count, 1))
			if means[0][i] != want || means[1][i] != want {
				t.Fatalf("%v: mean %d with assembly, %d without, want %d", patch, means[0][i], means[1][i], want)
			}
			if want := lowerMedian(patch); by <= 3 && medians[i] != want {
				t.Fatalf("%v: median %d, want %d", patch, medians[i], want)
			}
		}
	})
}

// smoothLine filters a line of disparity forwards.
func smoothLine(line []float32, alpha, delta float32) {
	ok := func(p float32) bool { return int32(math.Float32bits(p)) > 0 }
	was := slices.Clone(line)
	state := line[0]
	for i := 1; i < len(line); i++ {
		if !ok(was[i]) {
			continue
		}
		state2 := was[i]
		if d := was[i-1] - was[i]; ok(was[i-1]) && d < delta && d > -delta {
			state2 = float32(was[i]*alpha) + float32(state*(1-alpha))
			line[i] = state2
		}
		state = state2
	}
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
	})
}

// forthOne and backOne filter a row of depth like the SDK.
func forthOne(row []uint16, e *Edges) { along(row, e, 1, len(row)-1, 1, 1) }

func backOne(row []uint16, e *Edges) { along(row, e, len(row)-2, -1, -1, 0) }

// along filters the pixels from first up to end; step is 1, or -1 for the way back, on which a depth of
// 1 is a hole. Differences below least are left.
func along(row []uint16, e *Edges, first, end, step int, least float64) {
	gap := 0
	for x := first; x*step < end*step; x += step {
		d, before := row[x], row[x-step]
		away := math.Abs(float64(d) - float64(before))
		switch {
		case before == 0:
		case d > 1 || d == 1 && step > 0:
			gap = 0
			if away >= least && away <= float64(e.Delta) {
				row[x] = blend(d, before, e.Alpha)
			}
		default:
			if gap++; gap < e.Radius {
				row[x] = before
			}
		}
	}
}

func blend(d, before uint16, alpha float32) uint16 {
	return uint16(float32(float32(d)*alpha) + float32(float32(before)*(1-alpha)) + 0.5)
}

// columnsOne filters columns of depth pixel by pixel.
func columnsOne(pixels []uint16, width, n int, e *Edges) {
	height := (len(pixels) + width - n) / width
	for x := range n {
		for y := 1; y < height; y++ {
			d, above := &pixels[y*width+x], pixels[(y-1)*width+x]
			if math.Abs(float64(*d)-float64(above)) < float64(e.Delta) {
				*d = blend(*d, above, e.Alpha)
			}
		}
		for y := height - 2; y >= 0; y-- {
			d, below := &pixels[y*width+x], pixels[(y+1)*width+x]
			if *d > 0 && below > 0 && math.Abs(float64(*d)-float64(below)) < float64(e.Delta) {
				*d = blend(*d, below, e.Alpha)
			}
		}
	}
}

func (s source) edges() Edges {
	return NewEdges(0.25+0.75*s.Float32(), float32(1+s.IntN(50)), []int{0, 0, 2, 8, 255}[s.IntN(5)])
}

// FuzzEdges compares with a simple implementation, with and without assembly.
func FuzzEdges(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := source{rand.New(rand.NewPCG(seed, 3))}
		width, height := 2+s.IntN(60), 2+s.IntN(40)
		left := s.IntN(width)
		e, n := s.edges(), 1+s.IntN(width-left)
		was := s.depth(width * height)
		wantRows, wantColumns := slices.Clone(was), slices.Clone(was)
		for y := range height {
			forthOne(wantRows[y*width:][:width], &e)
			backOne(wantRows[y*width:][:width], &e)
		}
		inner := func(pixels []uint16) []uint16 { return pixels[left : (height-1)*width+left+n] }
		columnsOne(inner(wantColumns), width, n, &e)
		defer func(was bool) { fast = was }(fast)
		for _, fast = range []bool{fast, false} {
			var l Lanes
			l.Fit(width, n)
			got := slices.Clone(was)
			if e.Rows(got, width, &l); !slices.Equal(got, wantRows) {
				t.Fatalf("assembly %v, %+v: rows of %d: %v become\n%v, want\n%v", fast, e, width, was, got, wantRows)
			}
			got = slices.Clone(was)
			if e.Columns(inner(got), width, n); !slices.Equal(got, wantColumns) {
				t.Fatalf("assembly %v, %+v: %d columns of %d: %v become\n%v, want\n%v", fast, e, n, width, was, got, wantColumns)
			}
		}
	})
}

// FuzzEdgesDisparity is FuzzEdges for disparity.
func FuzzEdgesDisparity(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := source{rand.New(rand.NewPCG(seed, 5))}
		width, height := 2+s.IntN(60), 2+s.IntN(40)
		left := s.IntN(width)
		e, n := s.edges(), 1+s.IntN(width-left)
		both := func(line []float32) {
			for range 2 {
				smoothLine(line, e.Alpha, e.Delta)
				slices.Reverse(line)
			}
		}
		was := s.disparity(width * height)
		wantRows, wantColumns := slices.Clone(was), slices.Clone(was)
		for y := range height {
			both(wantRows[y*width:][:width])
		}
		for x := left; x < left+n; x++ {
			column := make([]float32, height)
			for y := range column {
				column[y] = was[y*width+x]
			}
			both(column)
			for y := range column {
				wantColumns[y*width+x] = column[y]
			}
		}
		defer func(was bool) { fast = was }(fast)
		for _, fast = range []bool{fast, false} {
			var l Lanes
			l.Fit(width, n)
			got := slices.Clone(was)
			if e.RowsDisparity(got, width, &l); !sameBits(got, wantRows) {
				t.Fatalf("assembly %v: rows of %d: %v become\n%v, want\n%v", fast, width, was, got, wantRows)
			}
			got = slices.Clone(was)
			if e.ColumnsDisparity(got[left:(height-1)*width+left+n], width, n, &l); !sameBits(got, wantColumns) {
				t.Fatalf("assembly %v: %d columns of %d: %v become\n%v, want\n%v", fast, n, width, was, got, wantColumns)
			}
		}
	})
}

// fadeOne filters a pixel over time by the rule of the SDK.
func fadeOne[T Sample](fade *Fading, v T, last *T, history *uint8) T {
	bit, away := uint8(1)<<fade.Phase, float32(v)-float32(*last)
	switch {
	case v != 0 && *last != 0 && away < fade.Delta && away > -fade.Delta:
		v = T(float32(fade.Alpha*float32(v)) + float32((1-fade.Alpha)*float32(*last)))
		*last = v
		*history |= bit
	case v != 0:
		*last, *history = v, bit
	default:
		if *last != 0 && fade.Rule.Has(*history) {
			v = *last
		}
		*history &^= bit
	}
	return v
}

// fading compares a filter of frames with the rule for a pixel.
func fading[T Sample](t *testing.T, fade *Fading, frames [12][]T, g guarded, filter func(out, in, last []T, history []uint8), same func(a, b []T) bool) {
	t.Helper()
	n := len(frames[0])
	wantLast, wantHistory := make([]T, n), make([]uint8, n)
	last, history := at(g, 0, wantLast, n%2 == 0), at(g, 1, wantHistory, n%2 == 0)
	for i, in := range frames {
		fade.Phase = uint8(i % 8)
		want := make([]T, n)
		out, in := at(g, 2, want, n%2 == 0), at(g, 3, in, n%2 == 0)
		filter(out, in, last, history)
		for x, v := range in {
			want[x] = fadeOne(fade, v, &wantLast[x], &wantHistory[x])
		}
		if !same(out, want) || !same(last, wantLast) || !slices.Equal(history, wantHistory) {
			t.Fatalf("assembly %v: frame %d: %v becomes %v, last %v, history %b; want %v, %v, %b", fast, i, in, out, last, history, want, wantLast, wantHistory)
		}
	}
}

// FuzzFading compares with the rule for a pixel, with and without assembly.
func FuzzFading(f *testing.F) {
	seeds(f)
	memory := newGuarded(f, 4, 4*40)
	f.Fuzz(func(t *testing.T, seed uint64) {
		s := source{rand.New(rand.NewPCG(seed, 4))}
		n := 1 + s.IntN(40)
		var fade Fading
		fade.SetAlpha(s.Float32())
		fade.Delta = float32(1 + s.IntN(100))
		for i := range fade.Rule {
			fade.Rule[i] = s.Uint32()
		}
		var depths [12][]uint16
		var disparities [12][]float32
		for i := range depths {
			depths[i], disparities[i] = s.depth(n), s.disparity(n)
		}
		defer func(was bool) { fast = was }(fast)
		for _, fast = range []bool{fast, false} {
			fading(t, &fade, depths, memory, fade.Depth, slices.Equal)
			fading(t, &fade, disparities, memory, fade.Disparity, sameBits)
		}
	})
}

// TestHoles checks the rule of each mode.
func TestHoles(t *testing.T) {
	row := func(d ...uint16) []uint16 { return d }
	for name, c := range map[string]struct {
		fill                    func(above, row, below []uint16)
		above, row, below, want []uint16
	}{
		"from the left":               {func(_, r, _ []uint16) { FillFromLeft(r) }, nil, row(0, 5, 0, 0, 7, 0), nil, row(0, 5, 5, 5, 7, 7)},
		"largest":                     {FillLargest[uint16], row(1, 9, 2), row(3, 0, 0), row(4, 5, 20), row(3, 9, 20)},
		"smallest":                    {FillSmallest[uint16], row(6, 9, 8), row(7, 0, 0), row(4, 5, 20), row(7, 4, 4)},
		"smallest below a hole: none": {FillSmallest[uint16], row(6, 0, 8), row(7, 0, 1), row(4, 5, 20), row(7, 0, 1)},
	} {
		if c.fill(c.above, c.row, c.below); !slices.Equal(c.row, c.want) {
			t.Errorf("%s: %v, want %v", name, c.row, c.want)
		}
	}
}
