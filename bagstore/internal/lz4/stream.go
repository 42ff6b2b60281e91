package lz4

import (
	"io"

	"github.com/pierrec/lz4/v4"
)

// NewReader returns a reader of the content of one frame, for content that shouldn't be in memory as a whole.
func NewReader(r io.Reader) io.Reader { return lz4.NewReader(r) }
