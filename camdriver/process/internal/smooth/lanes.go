package smooth

// Band is the largest number of rows that are filtered together.
const Band = 16

// Lanes is scratch memory. Each goroutine needs its own.
type Lanes struct {
	sideBySide
	columns
}

// Fit allocates memory for rows of a width and for a number of columns.
func (l *Lanes) Fit(width, columns int) {
	l.fit(width)
	if cap(l.state) < columns {
		l.state, l.before = make([]float32, 0, columns), make([]float32, 0, columns)
	}
}

// Rows filters consecutive rows of depth forwards and backwards.
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
		e.rowDisparity(pixels[:width])
	}
}

// Columns filters n columns of depth down and up. pixels starts with the first column of
// an image of the given width.
func (e *Edges) Columns(pixels []uint16, width, n int) {
	done := e.columnsFast(pixels, width, n)
	if done == n {
		return
	}
	pixels, n = pixels[done:], n-done
	for y := width; y < len(pixels); y += width {
		e.down(pixels[y:][:n], pixels[y-width:])
	}
	for y := (len(pixels)-n)/width*width - width; y >= 0; y -= width {
		e.up(pixels[y:][:n], pixels[y+width:])
	}
}

// ColumnsDisparity is Columns for disparity.
func (e *Edges) ColumnsDisparity(pixels []float32, width, n int, l *Lanes) {
	last := (len(pixels) - n) / width * width
	done := e.columnsDisparityFast(pixels, width, n, l)
	if done == n {
		return
	}
	l.begin(pixels[done:n])
	for y := width; y <= last; y += width {
		e.next(pixels[y:][done:n], &l.columns)
	}
	l.begin(pixels[last:][done:n])
	for y := last - width; y >= 0; y -= width {
		e.next(pixels[y:][done:n], &l.columns)
	}
}
