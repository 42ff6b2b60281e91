package naming

import (
	"rsros/camdriver"
	"rsros/msgs"
)

// inRGB says whether a stream's grey images are published in colour: infra_rgb.
func (l *layout) inRGB(p camdriver.Profile) bool {
	return l.options.InfraRGB && p.Stream.Kind == camdriver.Infrared && p.Format == camdriver.Y8
}

// encodeRGB makes an rgb8 image of a grey one, by three equal bytes for each pixel. It
// returns false if there is no memory for it.
func (l *layout) encodeRGB(h msgs.Header, f *camdriver.Frame) (msgs.Raw, bool) {
	buffer := l.pool.Get(3 * f.Width * f.Height)
	if buffer == nil {
		return msgs.Raw{}, false
	}
	for y := range f.Height {
		grey := f.Data[y*f.Stride:][:f.Width]
		row := buffer.Bytes[3*y*f.Width:][:3*f.Width]
		for x, v := range grey {
			row[3*x], row[3*x+1], row[3*x+2] = v, v, v
		}
	}
	head := msgs.ImageHead{
		Header: h, Height: uint32(f.Height), Width: uint32(f.Width), Encoding: wrapperEncoding(camdriver.RGB8),
		Step: uint32(3 * f.Width), DataLen: uint32(3 * f.Width * f.Height),
	}
	return msgs.Raw{Head: msgs.Marshal(&head), Body: buffer.Bytes[:3*f.Width*f.Height], Owner: buffer}, true
}
