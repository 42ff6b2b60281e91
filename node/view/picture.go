package view

import (
	"encoding/binary"
	"encoding/json"
	"sync"
	"sync/atomic"

	"rsros/bagstore/rsbag"
	"rsros/camdriver"
	"rsros/msgs/imagetransport"
	"rsros/node/view/wire"
)

// picture is a frame on its way to viewers. It retains the frame, and keeps each form
// of it that a viewer asked for.
type picture struct {
	frame *camdriver.Frame
	stamp wire.Nanos // when it arrived here
	time  wire.Nanos // on the source's time line

	refs     atomic.Int32
	mu       sync.Mutex
	bodies   map[form]body
	metadata []byte
}

// form is how a viewer wants to have pictures.
type form struct {
	packed  bool
	divisor int
}

// body is a picture in some form.
type body struct {
	codec         wire.Codec
	width, height int
	stride        int // of a raw one
	data          []byte
}

// jpegQuality keeps text readable at a tenth of the size.
const jpegQuality = 80

// encoders are what makes JPEG images, each with memory for one.
var encoders = sync.Pool{New: func() any { return new(imagetransport.Encoder) }}

// newPicture returns a picture with one reference.
func newPicture(f *camdriver.Frame, stamp, time wire.Nanos) *picture {
	p := &picture{frame: f.Retain(), stamp: stamp, time: time}
	p.refs.Store(1)
	return p
}

func (p *picture) retain() *picture {
	p.refs.Add(1)
	return p
}

func (p *picture) release() {
	if p.refs.Add(-1) == 0 {
		p.frame.Release()
	}
}

// in returns the picture in a form. The first caller encodes it; others wait for it.
func (p *picture) in(want form) body {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b, ok := p.bodies[want]; ok {
		return b
	}
	f := p.frame
	b := body{codec: wire.Raw, width: f.Width, height: f.Height, stride: f.Stride, data: f.Data[:f.Stride*f.Height]}
	if want.divisor > 1 {
		b = shrink(b, f.Profile.Format, want.divisor)
	}
	if want.packed {
		b = pack(b, f.Profile.Format)
	}
	if p.bodies == nil {
		p.bodies = make(map[form]body)
	}
	p.bodies[want] = b
	return b
}

// shrink makes a raw picture n times smaller in both directions. Depth keeps the value of
// every n-th pixel, for means of depths lie on no surface; brightness and colours are
// means. Pictures in formats whose pixels aren't separate bytes stay as they are.
func shrink(b body, format camdriver.Format, n int) body {
	w, h := b.width/n, b.height/n
	if w == 0 || h == 0 {
		return b
	}
	size := format.BitsPerPixel() / 8
	out := body{codec: wire.Raw, width: w, height: h, stride: w * size, data: make([]byte, w*h*size)}
	switch format {
	case camdriver.Z16, camdriver.Y16:
		for y := range h {
			from, to := b.data[y*n*b.stride:], out.data[y*out.stride:]
			for x := range w {
				to[2*x], to[2*x+1] = from[2*x*n], from[2*x*n+1]
			}
		}
	case camdriver.RGB8, camdriver.BGR8, camdriver.RGBA8, camdriver.BGRA8, camdriver.Y8, camdriver.RAW8:
		for y := range h {
			to := out.data[y*out.stride:][:out.stride]
			for at := range to {
				from := b.data[y*n*b.stride+at/size*n*size+at%size:]
				sum := 0
				for dy := range n {
					for dx := range n {
						sum += int(from[dy*b.stride+dx*size])
					}
				}
				to[at] = byte(sum / (n * n))
			}
		}
	default:
		return b
	}
	return out
}

// pack compresses a raw picture: depth without loss, the others as JPEG. A picture that
// can't be compressed, or doesn't get smaller, stays raw.
func pack(b body, format camdriver.Format) body {
	packed := b
	switch format {
	case camdriver.Z16:
		packed.codec, packed.data = wire.RVL, appendBands(nil, b)
	case camdriver.RGB8, camdriver.BGR8, camdriver.RGBA8, camdriver.BGRA8, camdriver.YUYV, camdriver.UYVY, camdriver.Y8, camdriver.RAW8:
		e := encoders.Get().(*imagetransport.Encoder)
		defer encoders.Put(e)
		_, data, err := e.Compress(nil, imagetransport.Picture{
			Encoding: rsbag.Encoding(format), Width: b.width, Height: b.height, Step: b.stride, Data: b.data,
		}, imagetransport.Options{Format: imagetransport.JPEG, JPEGQuality: jpegQuality})
		if err != nil {
			return b
		}
		packed.codec, packed.data = wire.JPEG, data
	}
	if len(packed.data) >= len(b.data) {
		return b
	}
	packed.stride = 0
	return packed
}

// bandRows is how many rows a band of depth has at least. Bands are what the page can
// decode side by side.
const bandRows = 180

// appendBands appends 16-bit pixels as bands of RVL.
func appendBands(dst []byte, b body) []byte {
	n := max(1, b.height/bandRows)
	head := len(dst)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(n))
	dst = append(dst, make([]byte, 4*n)...)
	var rows []byte
	for i := range n {
		from, to := b.height*i/n, b.height*(i+1)/n
		if b.stride == 2*b.width {
			rows = b.data[from*b.stride : to*b.stride]
		} else {
			rows = rows[:0]
			for y := from; y < to; y++ {
				rows = append(rows, b.data[y*b.stride:][:2*b.width]...)
			}
		}
		before := len(dst)
		dst = imagetransport.AppendRVL(dst, rows)
		binary.LittleEndian.PutUint32(dst[head+2+4*i:], uint32(len(dst)-before))
	}
	return dst
}

// facts returns the metadata of the frame as JSON.
func (p *picture) facts() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.metadata == nil {
		f := p.frame
		values := make(map[string]int64, len(f.Metadata))
		for _, m := range f.Metadata {
			values[m.Key.String()] = m.Value
		}
		p.metadata, _ = json.Marshal(struct { // such a structure can always be encoded
			Timestamp float64          `json:"timestamp"`
			Domain    string           `json:"domain"`
			Format    string           `json:"format"`
			Values    map[string]int64 `json:"values"`
		}{f.Timestamp, f.Domain.String(), f.Profile.Format.String(), values})
	}
	return p.metadata
}
