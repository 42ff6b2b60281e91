package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"

	"rsros/bagstore/internal/disk"
	"rsros/program/localfile"
)

// folders is the store of paths.
type folders struct{}

// onDisk is an open file as an Object and as a File.
type onDisk struct {
	*os.File
	info Info
}

func openFile(name string) (*onDisk, error) {
	f, err := localfile.Open(name)
	if err != nil {
		return nil, err
	}
	return fromFile(f, name)
}

// FromFile returns a File that reads f, and closes it.
func FromFile(f *os.File, name string) (File, error) { return fromFile(f, name) }

func fromFile(f *os.File, name string) (*onDisk, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &onDisk{f, infoOf(name, st)}, nil
}

// infoOf takes the time and the size of a file for its version.
func infoOf(name string, st fs.FileInfo) Info {
	return Info{Name: name, Size: st.Size(),
		Version: fmt.Sprintf("%x-%x", st.ModTime().UnixNano(), st.Size()), Modified: st.ModTime()}
}

func (f *onDisk) Info() Info { return f.info }

func (f *onDisk) Size() int64 {
	st, err := f.Stat()
	if err != nil {
		return 0
	}
	return st.Size()
}

func (f *onDisk) Want(off, n int64) { disk.Fetch(f.File, off, n) }

func (f *onDisk) Has(int64, int64) bool { return true }

func (f *onDisk) Range(_ context.Context, off, n int64) (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(f, off, n)), nil
}

func (folders) Open(_ context.Context, name string) (Object, error) { return openFile(name) }

func (folders) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		err := filepath.WalkDir(prefix, func(name string, d fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			st, err := d.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil // removed meanwhile
			}
			if err != nil {
				return err
			}
			if !yield(infoOf(name, st), nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(Info{}, err)
		}
	}
}

// Put compares versions before it replaces the file, not at the same instant. Calls for one file at
// the same instant write files of their own, and so never a mixture.
func (folders) Put(ctx context.Context, name string, body io.ReaderAt, size int64, o PutOptions) (Info, error) {
	if o.Replaces != "" {
		st, err := os.Stat(name)
		if err != nil {
			return Info{}, err
		}
		if infoOf(name, st).Version != o.Replaces {
			return Info{}, fmt.Errorf("%s: %w", name, ErrChanged)
		}
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return Info{}, err
	}
	t, err := createAs(ctx, fmt.Sprintf("%s.%x%s", name, rand.Uint64(), Suffix), name, !o.New)
	if err != nil {
		return Info{}, err
	}
	_, err = io.Copy(t.File, io.NewSectionReader(Until(ctx, body), 0, size))
	if err := t.Finish(err); err != nil {
		return Info{}, err
	}
	if o.Progress != nil {
		o.Progress(size)
	}
	st, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(name, st), nil
}

func (folders) Remove(_ context.Context, name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Until returns a reader that ends with a context.
func Until(ctx context.Context, r io.ReaderAt) io.ReaderAt { return readerAt{ctx, r} }

type readerAt struct {
	ctx context.Context
	in  io.ReaderAt
}

func (r readerAt) ReadAt(p []byte, off int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.ReadAt(p, off)
}
