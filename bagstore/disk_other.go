//go:build !linux

package bagstore

import (
	"errors"
	"os"
)

// osDisk is a file of the operating system.
type osDisk struct{ f *os.File }

func newDisk(f *os.File) *osDisk { return &osDisk{f: f} }

func (d *osDisk) writev(bufs [][]byte, off int64) error {
	for _, b := range bufs {
		n, err := d.f.WriteAt(b, off)
		if err != nil {
			return err
		}
		off += int64(n)
	}
	return nil
}

func (d *osDisk) start(bufs [][]byte, off int64, done func(error)) { done(d.writev(bufs, off)) }

func (d *osDisk) sync() error                    { return d.f.Sync() }
func (d *osDisk) allocate(int64) error           { return errors.ErrUnsupported }
func (d *osDisk) read(p []byte, off int64) error { return readFull(d.f, p, off) }

func (d *osDisk) truncate(size int64) error { return d.f.Truncate(size) }
func (d *osDisk) close() error              { return d.f.Close() }

func adviseHuge([]byte) {}
