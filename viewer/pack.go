package viewer

import (
	"encoding/binary"
	"slices"

	"rsros/bagstore/realsense/rslayout"
	"rsros/camdriver"
	"rsros/msgs/imagetransport"
	"rsros/viewer/api"
)

// encoded is an image in some form.
type encoded struct {
	Codec         api.Codec
	Width, Height int
	Stride        int // bytes from row to row of a raw image
	Data          []byte
	lent          bool // Data is a buffer of a formMemory, for this body alone
}

// borrowed returns the same image for another form, which doesn't own its memory.
func (b encoded) borrowed() encoded {
	b.lent = false
	return b
}

// jpegQuality keeps text readable at a tenth of the raw size.
const jpegQuality = 80

// pack compresses a raw image: depth without loss, others as JPEG. An image that
// can't be compressed, or doesn't get smaller, stays raw.
func (m *formMemory) pack(b encoded, format camdriver.Format) encoded {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	packed := b
	switch format {
	case camdriver.Z16:
		packed.Codec = api.RVL
		e.bands(b)
	case camdriver.RGB8, camdriver.BGR8, camdriver.RGBA8, camdriver.BGRA8, camdriver.YUYV, camdriver.UYVY,
		camdriver.Y8, camdriver.RAW8:
		packed.Codec = api.JPEG
		_, code, err := e.Compress(e.code[:0], imagetransport.Image{
			Encoding: rslayout.Encoding(format), Width: b.Width, Height: b.Height, Step: b.Stride, Data: b.Data,
		}, imagetransport.Options{Format: imagetransport.JPEG, JPEGQuality: jpegQuality})
		if err != nil {
			return b.borrowed()
		}
		e.code = code
	default:
		return b.borrowed()
	}
	if len(e.code) >= len(b.Data) {
		return b.borrowed()
	}
	packed.Stride, packed.Data, packed.lent = 0, m.get(len(e.code)), true
	copy(packed.Data, e.code)
	return packed
}

// bandRows is the minimum number of rows of a band of depth. The page can decode bands in parallel.
const bandRows = 180

// bands encodes 16-bit pixels as bands of RVL.
func (e *encoder) bands(b encoded) {
	n := max(1, b.Height/bandRows)
	code := binary.LittleEndian.AppendUint16(e.code[:0], uint16(n))
	code = slices.Grow(code, 4*n)[:2+4*n]
	for i := range n {
		from, to := b.Height*i/n, b.Height*(i+1)/n
		rows := b.Data[from*b.Stride : to*b.Stride]
		if b.Stride != 2*b.Width {
			e.rows = e.rows[:0]
			for y := range to - from {
				e.rows = append(e.rows, rows[y*b.Stride:][:2*b.Width]...)
			}
			rows = e.rows
		}
		before := len(code)
		code = imagetransport.AppendRVL(code, rows)
		binary.LittleEndian.PutUint32(code[2+4*i:], uint32(len(code)-before))
	}
	e.code = code
}
