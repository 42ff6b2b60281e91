package view

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"rsros/bagstore/rsbag"
	"rsros/camdriver"
	"rsros/msgs/imagetransport"
	"rsros/node/view/wire"
)

// picture is a frame on its way to viewers. It retains the frame, and owns each form of it
// that a viewer asked for. The last release returns both to where they came from.
type picture struct {
	frame  *camdriver.Frame
	stamp  wire.Nanos // when it arrived here
	time   wire.Nanos // on the source's time line
	memory *memory    // of the forms

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

// body is a picture in some form. It is valid until the picture's last release.
type body struct {
	codec         wire.Codec
	width, height int
	stride        int // of a raw one
	data          []byte
	lent          bool // data is a buffer of its own, from memory
}

// jpegQuality keeps text readable at a tenth of the size.
const jpegQuality = 80

// newPicture returns a picture with one reference, whose forms take memory from m.
func newPicture(m *memory, f *camdriver.Frame, stamp, time wire.Nanos) *picture {
	p := &picture{memory: m, frame: f.Retain(), stamp: stamp, time: time}
	p.refs.Store(1)
	return p
}

// retain implements item.
func (p *picture) retain() item {
	p.refs.Add(1)
	return p
}

func (p *picture) release() {
	if p.refs.Add(-1) > 0 {
		return
	}
	for _, b := range p.bodies {
		if b.lent {
			p.memory.put(b.data)
		}
	}
	p.frame.Release()
}

// in returns the picture in a form. The first caller encodes it; others wait for it.
func (p *picture) in(want form) body {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.form(want)
}

// form does in's work; mu is held.
func (p *picture) form(want form) body {
	if b, ok := p.bodies[want]; ok {
		return b
	}
	f := p.frame
	var b body
	switch {
	case want.packed:
		b = p.memory.pack(p.form(form{divisor: want.divisor}), f.Profile.Format)
	case want.divisor > 1:
		b = p.memory.shrink(p.form(form{divisor: 1}), f.Profile.Format, want.divisor)
	default:
		b = body{codec: wire.Raw, width: f.Width, height: f.Height, stride: f.Stride, data: f.Data[:f.Stride*f.Height]}
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
func (m *memory) shrink(b body, format camdriver.Format, n int) body {
	w, h := b.width/n, b.height/n
	if w == 0 || h == 0 {
		return b.borrowed()
	}
	size := format.BitsPerPixel() / 8
	out := body{codec: wire.Raw, width: w, height: h, stride: w * size}
	switch format {
	case camdriver.Z16, camdriver.Y16:
		out.data, out.lent = m.get(w*h*size), true
		for y := range h {
			from, to := b.data[y*n*b.stride:], out.data[y*out.stride:]
			for x := range w {
				to[2*x], to[2*x+1] = from[2*x*n], from[2*x*n+1]
			}
		}
	case camdriver.RGB8, camdriver.BGR8, camdriver.RGBA8, camdriver.BGRA8, camdriver.Y8, camdriver.RAW8:
		out.data, out.lent = m.get(w*h*size), true
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
		return b.borrowed()
	}
	return out
}

// borrowed is the same picture for another form, which doesn't own it.
func (b body) borrowed() body {
	b.lent = false
	return b
}

// pack compresses a raw picture: depth without loss, the others as JPEG. A picture that
// can't be compressed, or doesn't get smaller, stays raw.
func (m *memory) pack(b body, format camdriver.Format) body {
	e := m.encoder()
	defer m.release(e)
	packed := b
	switch format {
	case camdriver.Z16:
		packed.codec = wire.RVL
		e.bands(b)
	case camdriver.RGB8, camdriver.BGR8, camdriver.RGBA8, camdriver.BGRA8, camdriver.YUYV, camdriver.UYVY, camdriver.Y8, camdriver.RAW8:
		packed.codec = wire.JPEG
		_, code, err := e.Compress(e.code[:0], imagetransport.Picture{
			Encoding: rsbag.Encoding(format), Width: b.width, Height: b.height, Step: b.stride, Data: b.data,
		}, imagetransport.Options{Format: imagetransport.JPEG, JPEGQuality: jpegQuality})
		if err != nil {
			return b.borrowed()
		}
		e.code = code
	default:
		return b.borrowed()
	}
	if len(e.code) >= len(b.data) {
		return b.borrowed()
	}
	packed.stride, packed.data, packed.lent = 0, m.get(len(e.code)), true
	copy(packed.data, e.code)
	return packed
}

// bandRows is how many rows a band of depth has at least. Bands are what the page can
// decode side by side.
const bandRows = 180

// bands makes code 16-bit pixels as bands of RVL.
func (e *encoder) bands(b body) {
	n := max(1, b.height/bandRows)
	code := binary.LittleEndian.AppendUint16(e.code[:0], uint16(n))
	code = slices.Grow(code, 4*n)[:2+4*n]
	for i := range n {
		from, to := b.height*i/n, b.height*(i+1)/n
		rows := b.data[from*b.stride : to*b.stride]
		if b.stride != 2*b.width {
			e.rows = e.rows[:0]
			for y := range to - from {
				e.rows = append(e.rows, rows[y*b.stride:][:2*b.width]...)
			}
			rows = e.rows
		}
		before := len(code)
		code = imagetransport.AppendRVL(code, rows)
		binary.LittleEndian.PutUint32(code[2+4*i:], uint32(len(code)-before))
	}
	e.code = code
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
