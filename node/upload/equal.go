package upload

import (
	"bytes"
	"errors"
	"io"

	"rsros/bagstore/place"
)

// step is the number of bytes that equal compares at a time.
const step = 4 << 20

// equal compares two files up to the first difference.
func equal(a, b place.File) (bool, error) {
	size := a.Info().Size
	if size != b.Info().Size {
		return false, nil
	}
	p, q := make([]byte, step), make([]byte, step)
	for off := int64(0); off < size; off += step {
		n := min(step, size-off)
		b.Want(off, min(2*step, size-off))
		for _, part := range []struct {
			f place.File
			p []byte
		}{{a, p[:n]}, {b, q[:n]}} {
			if k, err := part.f.ReadAt(part.p, off); k < int(n) {
				return false, errors.Join(err, io.ErrUnexpectedEOF)
			}
		}
		if !bytes.Equal(p[:n], q[:n]) {
			return false, nil
		}
	}
	return true, nil
}
