package encode

import "rsros/node/view/wire"

// Body is a picture in some form.
type Body struct {
	Codec         wire.Codec
	Width, Height int
	Stride        int // bytes from row to row of a raw one
	Data          []byte
	lent          bool // Data is a buffer of a Memory, for this body alone
}

// borrowed is the same picture for another form, which doesn't own it.
func (b Body) borrowed() Body {
	b.lent = false
	return b
}
