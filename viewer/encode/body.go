package encode

import "rsros/viewer/wire"

// Body is an image in some form.
type Body struct {
	Codec         wire.Codec
	Width, Height int
	Stride        int // bytes from row to row of a raw image
	Data          []byte
	lent          bool // Data is a buffer of a Memory, for this body alone
}

// borrowed returns the same image for another form, which doesn't own its memory.
func (b Body) borrowed() Body {
	b.lent = false
	return b
}
