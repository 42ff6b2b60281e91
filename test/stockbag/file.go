package stockbag

import (
	"io"

	"rsros/bagstore/place"
)

// file is a place.File whose content comes from a reader of the test.
type file struct {
	io.ReaderAt
	info place.Info
}

// NewFile returns a file of a size and a name that is read from r. Closing it does nothing.
func NewFile(r io.ReaderAt, size int64, name string) place.File {
	return file{r, place.Info{Name: name, Size: size}}
}

func (f file) Info() place.Info    { return f.info }
func (f file) Size() int64         { return f.info.Size }
func (file) Want(int64, int64)     {}
func (file) Has(int64, int64) bool { return true }
func (file) Close() error          { return nil }
