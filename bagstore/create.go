package bagstore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"syscall"

	"rsros/bagstore/internal/disk"
)

// What Create refuses, beside names that exist (fs.ErrExist).
var (
	// ErrLocked: another Writer, of this process or another one, is writing the file.
	ErrLocked = disk.ErrLocked
	// ErrNotRegular: the name is that of a device, a named pipe, a folder or a
	// symbolic link.
	ErrNotRegular = disk.ErrNotRegular
)

// Create creates a bag file, which is a valid, empty bag when Create returns, and locks
// it until Close.
//
// It never replaces a file unless Options.Overwrite is set: the error is then
// fs.ErrExist, and ErrLocked as well if a Writer is at work on the file. Names of
// anything but regular files are refused with ErrNotRegular; symbolic links are
// followed only with Options.FollowSymlink. After an error nothing is left behind, and
// nothing is removed that Create didn't make.
func Create(path string, o Options) (*Writer, error) {
	// With a clock of the caller's nothing happens between the caller's calls.
	keep := o.Checkpoint >= 0 && o.Now == nil
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := disk.Create(path, disk.CreateOptions{Overwrite: o.Overwrite, FollowSymlink: o.FollowSymlink})
	if err != nil {
		return nil, err
	}
	if keep {
		o.tail = rand.Uint64() | 1
	}
	w, err := writerOn(f, o)
	if err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	if keep {
		w.keeper = newKeeper(w, f.File, path)
	}
	return w, nil
}

// writerOn makes a Writer on a new file. If the file can't be written directly, it is
// written through the page cache.
func writerOn(f *disk.Created, o Options) (*Writer, error) {
	d := disk.NewFile(f.File)
	var fallback error
	if o.Sink == Direct {
		var grain int
		grain, fallback = disk.SetDirect(f.File)
		if fallback == nil {
			w, err := newWriter(disk.NewDirect(d, grain, o.Preallocate), o)
			if !errors.Is(err, syscall.EINVAL) {
				return w, err
			}
			fallback = fmt.Errorf("the file system of %s refuses direct writes", f.Name())
			if err := errors.Join(disk.SetBuffered(f.File), d.Truncate(0)); err != nil {
				return nil, err
			}
		}
	}
	if o.Preallocate > 0 {
		// File systems that can't reserve space are written all the same.
		_ = d.Allocate(o.Preallocate)
	}
	w, err := newWriter(disk.NewBuffered(d), o)
	if err != nil {
		return nil, err
	}
	w.stats.Fallback = fallback
	return w, nil
}
