package smooth

// Band is the largest number of rows that are filtered together.
const Band = 16

// Lanes is scratch memory. Each goroutine needs its own.
type Lanes struct {
	words  []uint16  // transposed rows of depth
	floats []float32 // transposed rows of disparity
	columns
}

// Fit allocates memory for rows of a width and for a number of columns.
func (l *Lanes) Fit(width, columns int) {
	if fast && len(l.words) < Band*width {
		l.words, l.floats = make([]uint16, Band*width), make([]float32, floatLanes*width)
	}
	if cap(l.state) < columns {
		l.state, l.before = make([]float32, 0, columns), make([]float32, 0, columns)
	}
}

// Rows filters consecutive rows of depth forwards and backwards. width must be at least 2.
func (e *Edges) Rows(pixels []uint16, width int, l *Lanes) {
	pixels = pixels[e.rowsFast(pixels, width, l)*width:]
	for ; len(pixels) >= width; pixels = pixels[width:] {
		e.forth(pixels[:width])
		e.back(pixels[:width])
	}
}

// RowsDisparity filters consecutive rows of disparity forwards and backwards.
func (e *Edges) RowsDisparity(pixels []float32, width int, l *Lanes) {
	pixels = pixels[e.rowsDisparityFast(pixels, width, l)*width:]
	for ; len(pixels) >= width; pixels = pixels[width:] {
		e.rowDisparity(pixels[:width], 0, 1)
		e.rowDisparity(pixels[:width], width-1, -1)
	}
}

// Columns filters n columns of depth down and up. pixels starts with the first column of an image of the given width.
func (e *Edges) Columns(pixels []uint16, width, n int) {
	below := (len(pixels) - n) / width
	if whole := n &^ (Band - 1); fast && whole > 0 && below > 0 && e.Delta >= 1 {
		var v vectors
		p := e.vectors(&v)
		downAVX2(&pixels[0], 2*width, below, whole, p)
		upAVX2(&pixels[below*width], -2*width, below, whole, p)
		if whole == n {
			return
		}
		pixels, n = pixels[whole:], n-whole
	}
	for y := width; y < len(pixels); y += width {
		e.down(pixels[y:][:n], pixels[y-width:])
	}
	for y := (below - 1) * width; y >= 0; y -= width {
		e.up(pixels[y:][:n], pixels[y+width:])
	}
}

// ColumnsDisparity is Columns for disparity.
func (e *Edges) ColumnsDisparity(pixels []float32, width, n int, l *Lanes) {
	last := (len(pixels) - n) / width * width
	var v vectors
	p := e.vectors(&v)
	l.begin(pixels[:n])
	for y := width; y <= last; y += width {
		e.next(pixels[y:][:n], &l.columns, p)
	}
	l.begin(pixels[last:][:n])
	for y := last - width; y >= 0; y -= width {
		e.next(pixels[y:][:n], &l.columns, p)
	}
}
