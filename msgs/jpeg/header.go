package jpeg

// JPEG markers.
const (
	markStart   = 0xD8
	markEnd     = 0xD9
	markJFIF    = 0xE0
	markSteps   = 0xDB
	markFrame   = 0xC0
	markHuffman = 0xC4
	markScan    = 0xDA
)

// setQuality scales the quantization steps like libjpeg.
func (e *Encoder) setQuality(quality int) {
	if e.quality == quality {
		return
	}
	e.quality = quality
	scale := 200 - 2*quality
	if quality < 50 {
		scale = 5000 / quality
	}
	for kind := range steps {
		for i, s := range steps[kind] {
			step := min(max((int(s)*scale+50)/100, 1), 255)
			e.steps[kind][i] = uint8(step)
			e.scales[kind][i] = 1 / (float32(step) * 8 * gain[i/8] * gain[i%8])
		}
	}
}

// component is a plane in the headers. sampling has the samples of a block across and down, a nibble each.
type component struct{ id, sampling, kind byte }

// header appends the headers before the coefficients.
func (e *Encoder) header(b []byte) []byte {
	p := &e.planes
	b = append(b, 0xFF, markStart)
	b = append(segment(b, markJFIF, 14), 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0)
	components := []component{{1, 0x22, light}, {2, 0x11, colour}, {3, 0x11, colour}}
	if p.Grey {
		components = []component{{1, 0x11, light}}
	}
	n := len(components)
	kinds := min(n, 2)
	for kind := range kinds {
		b = append(segment(b, markSteps, 65), byte(kind))
		for _, place := range zigzag {
			b = append(b, e.steps[kind][place])
		}
	}
	b = segment(b, markFrame, 6+3*n)
	b = append(b, 8, byte(p.Height>>8), byte(p.Height), byte(p.Width>>8), byte(p.Width), byte(n))
	for _, c := range components {
		b = append(b, c.id, c.sampling, c.kind)
	}
	for kind := range kinds {
		for class, c := range [2]code{firstCodes[kind], otherCodes[kind]} {
			b = append(segment(b, markHuffman, 17+len(c.symbols)), byte(class<<4|kind))
			b = append(append(b, c.lengths...), c.symbols...)
		}
	}
	b = append(segment(b, markScan, 4+2*n), byte(n))
	for _, c := range components {
		b = append(b, c.id, c.kind<<4|c.kind) // the codes of first and of other coefficients
	}
	return append(b, 0, 63, 0)
}

// segment appends a marker and the length of its segment.
func segment(b []byte, marker byte, n int) []byte {
	return append(b, 0xFF, marker, byte((n+2)>>8), byte(n+2))
}
