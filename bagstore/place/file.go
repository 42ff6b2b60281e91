package place

import (
	"context"
	"io"
	"os"
)

// File is a file that is open for reading. It is safe for concurrent use.
type File interface {
	io.ReaderAt
	io.Closer
	// Info describes it as it was when it was opened. With its name, which is concealed, it and its neighbours are opened.
	Info() Info
	// Size is the present size: a file at a path may grow.
	Size() int64
	// Want hints that n bytes at off will be read soon. It doesn't block.
	Want(off, n int64)
	// Has reports whether n bytes at off are here, so that reading them doesn't wait for a server.
	Has(off, n int64) bool
}

// Open opens a file for reading. Reading an object ends with ctx.
func Open(ctx context.Context, name string) (File, error) {
	name = Redact(name)
	s, err := storeOf(name)
	if err != nil {
		return nil, err
	}
	o, err := open(ctx, s, name)
	if err != nil {
		return nil, err
	}
	if f, ok := o.(File); ok {
		return f, nil
	}
	return newRemote(ctx, o), nil
}

// OnDisk returns the file of a path, nil for an object's.
func OnDisk(f File) *os.File {
	if d, ok := f.(*onDisk); ok {
		return d.File
	}
	return nil
}

// Failed returns the first error of reading an object, an [*Error]; nil if there was none.
func Failed(f File) error {
	if r, ok := f.(*remote); ok {
		if err := r.failed.Load(); err != nil {
			return err
		}
	}
	return nil
}
