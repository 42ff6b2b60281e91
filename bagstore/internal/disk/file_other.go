//go:build !linux

package disk

import (
	"errors"
	"io"
	"os"
)

// Reserves describes whether disk space is reserved ahead.
const Reserves = "no: a file grows as it is written"

// HugePageCall describes whether buffers.AdviseHuge has an effect.
func HugePageCall() string { return "no" }

// File is a Disk on an operating system file.
type File struct{ f *os.File }

// NewFile returns a Disk on f.
func NewFile(f *os.File) *File { return &File{f: f} }

// Writev implements Disk.
func (d *File) Writev(bufs [][]byte, off int64) error {
	for _, b := range bufs {
		n, err := d.f.WriteAt(b, off)
		if err != nil {
			return err
		}
		off += int64(n)
	}
	return nil
}

// Start implements Disk. It writes synchronously.
func (d *File) Start(bufs [][]byte, off int64, done func(error)) { done(d.Writev(bufs, off)) }

// Sync implements Disk.
func (d *File) Sync() error { return d.f.Sync() }

// Allocate implements Disk. It is not supported.
func (d *File) Allocate(int64) error { return errors.ErrUnsupported }

// Read implements Disk.
func (d *File) Read(p []byte, off int64) error {
	_, err := io.ReadFull(io.NewSectionReader(d.f, off, int64(len(p))), p)
	return err
}

// Truncate implements Disk.
func (d *File) Truncate(size int64) error { return d.f.Truncate(size) }

// Close implements Disk. It does nothing.
func (d *File) Close() error { return nil }
