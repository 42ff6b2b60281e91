package trigger

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// The picture's size, and its margins for labels.
const (
	pictureWidth, pictureHeight = 900, 420
	left, right, top, bottom    = 70, 20, 20, 50
	maxDots                     = 2000 // of a pair
)

var colours = []string{"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2"}

// WriteSVG draws the offsets of all pairs over time.
func (r *Report) WriteSVG(w io.Writer) error {
	var seconds, least, most float64
	for _, p := range r.Pairs {
		for i, off := range p.offsets {
			seconds, least, most = max(seconds, p.times[i]), min(least, off), max(most, off)
		}
	}
	seconds = max(seconds, 1e-3)
	edge := max((most-least)*0.05, 0.01)
	least, most = least-edge, most+edge
	x := func(t float64) float64 { return left + t/seconds*(pictureWidth-left-right) }
	y := func(off float64) float64 { return top + (most-off)/(most-least)*(pictureHeight-top-bottom) }
	height := pictureHeight + 20*len(r.Pairs)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", pictureWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", pictureWidth, height)
	for i := range 6 {
		t, off := seconds*float64(i)/5, least+(most-least)*float64(i)/5
		fmt.Fprintf(&b, `<path d="M%.1f %d V%d M%d %.1f H%d" stroke="#ddd"/>`+"\n", x(t), top, pictureHeight-bottom,
			left, y(off), pictureWidth-right)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%.4g</text><text x="%d" y="%.1f" text-anchor="end">%.3f</text>`+"\n",
			x(t), pictureHeight-bottom+16, t, left-6, y(off)+4, off)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">seconds; offset in ms</text>`+"\n",
		pictureWidth/2, pictureHeight-14)
	for i, p := range r.Pairs {
		colour := colours[i%len(colours)]
		fmt.Fprintf(&b, `<path stroke="%s" stroke-width="2" stroke-linecap="round" fill="none" d="`, colour)
		for k := 0; k < len(p.offsets); k += max(1, len(p.offsets)/maxDots) {
			fmt.Fprintf(&b, "M%.1f %.1fh0", x(p.times[k]), y(p.offsets[k]))
		}
		text := fmt.Sprintf("%s – %s: %s, %+.3f ms, %+.1f ppm", p.A, p.B, p.Verdict, p.Offset, p.Drift)
		fmt.Fprintf(&b, `"/>`+"\n"+`<rect x="%d" y="%d" width="10" height="10" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n",
			left, pictureHeight+20*i-9, colour, left+16, pictureHeight+20*i, html.EscapeString(text))
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
