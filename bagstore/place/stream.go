package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"

	"rsros/program/localfile"
)

// Stream is the name of standard input, for reading, and of standard output, for writing.
const Stream = "-"

// Streams is the store of [Stream], if it is registered for that as its scheme.
type Streams struct {
	In  *os.File
	Out io.Writer

	once  sync.Once
	input *os.File
	err   error
}

// Open returns standard input. What isn't a file is first copied to one without a name, because recordings
// aren't read from the start to the end.
func (s *Streams) Open(_ context.Context, name string) (Object, error) {
	if name != Stream {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	s.once.Do(func() { s.input, s.err = spool(s.In) })
	if s.err != nil {
		return nil, fmt.Errorf("standard input: %w: %w", s.err, ErrUnusable)
	}
	f, err := fromFile(s.input, name)
	return streamed{f}, err
}

// spool returns in, or a copy of it if it isn't a file.
func spool(in *os.File) (*os.File, error) {
	st, err := in.Stat()
	switch {
	case err != nil || st.Mode().IsRegular():
		return in, err
	case st.Mode()&fs.ModeCharDevice != 0:
		return nil, errTerminal
	}
	f, err := localfile.Temp()
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(f, in); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// streamed is standard input as an Object and as a File. It stays open for the next one.
type streamed struct{ *onDisk }

func (streamed) Close() error { return nil }

// List lists nothing.
func (s *Streams) List(context.Context, string) iter.Seq2[Info, error] {
	return func(func(Info, error) bool) {}
}

// Put writes to standard output. Whoever reads it knows only by the exit code whether it is whole.
func (s *Streams) Put(ctx context.Context, name string, body io.ReaderAt, size int64, _ PutOptions) (Info, error) {
	if name != Stream {
		return Info{}, fmt.Errorf("write %s: standard output is one file: %w", name, ErrUnusable)
	}
	_, err := io.Copy(s.Out, io.NewSectionReader(Until(ctx, body), 0, size))
	return Info{Name: name, Size: size}, err
}

// Remove does nothing.
func (s *Streams) Remove(context.Context, string) error { return nil }

// nowhere is the store of the null device, a file or a folder for those who only want to know whether a command
// succeeds.
type nowhere struct{}

func (nowhere) Open(_ context.Context, name string) (Object, error) {
	return nil, fmt.Errorf("open %s: %w: it holds nothing", name, fs.ErrNotExist)
}

func (nowhere) Put(_ context.Context, name string, _ io.ReaderAt, size int64, _ PutOptions) (Info, error) {
	return Info{Name: name, Size: size}, nil
}

func (nowhere) List(context.Context, string) iter.Seq2[Info, error] {
	return func(func(Info, error) bool) {}
}

func (nowhere) Remove(context.Context, string) error { return nil }

// endless reports whether a name is that of a stream or of the null device, which hold nothing.
func endless(name string) bool { return name == Stream || scheme(name) == os.DevNull }
