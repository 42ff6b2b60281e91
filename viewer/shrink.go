package viewer

import (
	"rsros/camdriver"
	"rsros/viewer/api"
)

// shrink makes a raw image n times smaller in both directions. Depth keeps the value of
// every n-th pixel, because a mean of depths may be on no surface; brightness and colours are
// means. Images in formats whose pixels aren't separate bytes are unchanged.
func (m *formMemory) shrink(b encoded, format camdriver.Format, n int) encoded {
	w, h := b.Width/n, b.Height/n
	if w == 0 || h == 0 {
		return b.borrowed()
	}
	size := format.BitsPerPixel() / 8
	out := encoded{Codec: api.Raw, Width: w, Height: h, Stride: w * size}
	switch format {
	case camdriver.Z16, camdriver.Y16:
		out.Data, out.lent = m.get(w*h*size), true
		for y := range h {
			from, to := b.Data[y*n*b.Stride:], out.Data[y*out.Stride:]
			for x := range w {
				to[2*x], to[2*x+1] = from[2*x*n], from[2*x*n+1]
			}
		}
	case camdriver.RGB8, camdriver.BGR8, camdriver.RGBA8, camdriver.BGRA8, camdriver.Y8, camdriver.RAW8:
		out.Data, out.lent = m.get(w*h*size), true
		for y := range h {
			to := out.Data[y*out.Stride:][:out.Stride]
			for at := range to {
				from := b.Data[y*n*b.Stride+at/size*n*size+at%size:]
				sum := 0
				for dy := range n {
					for dx := range n {
						sum += int(from[dy*b.Stride+dx*size])
					}
				}
				to[at] = byte(sum / (n * n))
			}
		}
	default:
		return b.borrowed()
	}
	return out
}
