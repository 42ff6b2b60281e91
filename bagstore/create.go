package bagstore

import (
	"errors"
	"math/rand/v2"
	"os"

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
// followed only with Options.FollowSymlink. A file that can't be written directly is
// refused if Options.Sink asks for that. After an error nothing is left behind, and
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
	w, err := writerOn(f.File, o)
	if err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	if keep {
		w.keeper = newKeeper(w, f.File, path)
	}
	return w, nil
}

// writerOn makes a Writer on a new file.
func writerOn(f *os.File, o Options) (*Writer, error) {
	s, way, err := disk.Choose(f, disk.NewFile(f), o.Sink, o.directFrom, o.Preallocate)
	if err != nil {
		return nil, err
	}
	w, err := newWriter(s, o)
	if err == nil {
		w.way = way
	}
	return w, err
}
