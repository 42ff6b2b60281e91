package viewer

import "rsros/viewer/wire"

// encoded is an image in some form.
type encoded struct {
	Codec         wire.Codec
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
