package rosbag

import (
	"errors"
	"math/rand/v2"
	"os"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
)

// Create creates a valid, empty bag file and locks it until Close.
//
// Without Options.Overwrite, the error for an existing file is fs.ErrExist, and also ErrLocked if a
// Writer is writing it. The error for anything but a regular file, a symbolic link too, is
// localfile.ErrNotRegular. If Options.Sink is Direct, a file that can't be written directly is refused. After
// an error Create has removed nothing that it didn't create.
func Create(path string, o bagstore.Options) (*Writer, error) {
	return create(path, settings{Options: o})
}

func create(path string, o settings) (*Writer, error) {
	// With the caller's clock nothing may happen between the caller's calls.
	keep := o.Checkpoint >= 0 && o.Now == nil
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := disk.Create(path, o.Overwrite)
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
	if o.Hold != nil {
		o.Hold(f.File)
	}
	if keep {
		w.keeper = newKeeper(w, f.File, path)
	}
	return w, nil
}

func writerOn(f *os.File, o settings) (*Writer, error) {
	s, method, err := disk.Choose(f, disk.NewFile(f), o.Sink, o.directFrom, o.Staging)
	if err != nil {
		return nil, err
	}
	w, err := newWriter(s, o)
	if err == nil {
		w.method = method
	}
	return w, err
}
