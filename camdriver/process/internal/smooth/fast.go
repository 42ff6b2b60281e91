package smooth

//go:generate go run -C ../../../../asm ./smooth

import "golang.org/x/sys/cpu"

// fast enables the assembly. Tests disable it for comparison.
var fast = assembly && cpu.X86.HasAVX2

const (
	floatLanes = 8 // rows of disparity per call
	square     = 8 // side of transposed blocks
)

// vectors are the parameters, replicated to fill a register, in the order of the assembly.
type vectors struct {
	alpha, beta, half    [8]float32
	delta, below, radius [Band]uint16
	edge, lowEdge        [8]float32
}

func (e *Edges) vectors(v *vectors) *float32 {
	delta := uint16(e.Delta)
	for i := range Band {
		v.delta[i], v.below[i], v.radius[i] = delta, delta-1, uint16(e.Radius)
	}
	for i := range floatLanes {
		v.alpha[i], v.beta[i], v.half[i], v.edge[i], v.lowEdge[i] = e.Alpha, e.beta, 0.5, e.Delta, -e.Delta
	}
	return &v.alpha[0]
}

// rowsFast filters the first rows of Rows and returns their number.
func (e *Edges) rowsFast(pixels []uint16, width int, l *Lanes) int {
	n := len(pixels) / width / Band * Band
	if !fast || n == 0 || width < square {
		return 0
	}
	var v vectors
	p, whole, stride := e.vectors(&v), width&^(square-1), 2*width
	for y := 0; y < n; y += Band {
		rows := pixels[y*width:][:Band*width]
		transposeWordsAVX2(&l.words[0], &rows[0], stride, whole/square)
		for i := range Band * (width - whole) {
			l.words[Band*whole+i] = rows[i%Band*width+whole+i/Band]
		}
		if width > 2 {
			forthWordsAVX2(&l.words[0], width-2, p)
		}
		backWordsAVX2(&l.words[Band*(width-1)], width-1, p)
		rowsOfWordsAVX2(&rows[0], &l.words[0], stride, whole/square)
		for i := range Band * (width - whole) {
			rows[i%Band*width+whole+i/Band] = l.words[Band*whole+i]
		}
	}
	return n
}

// rowsDisparityFast filters the first rows of RowsDisparity and returns their number.
func (e *Edges) rowsDisparityFast(pixels []float32, width int, l *Lanes) int {
	const lanes = floatLanes
	n := len(pixels) / width / lanes * lanes
	if !fast || n == 0 || width < square {
		return 0
	}
	var v vectors
	p, whole, stride := e.vectors(&v), width&^(square-1), 4*width
	for y := 0; y < n; y += lanes {
		rows := pixels[y*width:][:lanes*width]
		transposeFloatsAVX2(&l.floats[0], 4*lanes, 4*lanes*square, &rows[0], stride, 4*square, whole/square)
		for i := range lanes * (width - whole) {
			l.floats[lanes*whole+i] = rows[i%lanes*width+whole+i/lanes]
		}
		lineAVX2(&l.floats[0], 4*lanes, width-1, p)
		lineAVX2(&l.floats[lanes*(width-1)], -4*lanes, width-1, p)
		transposeFloatsAVX2(&rows[0], stride, 4*square, &l.floats[0], 4*lanes, 4*lanes*square, whole/square)
		for i := range lanes * (width - whole) {
			rows[i%lanes*width+whole+i/lanes] = l.floats[lanes*whole+i]
		}
	}
	return n
}
