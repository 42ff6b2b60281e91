package rosbag

import (
	"math/rand/v2"

	"rsros/bagstore"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/place"
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
	f, err := place.New(path, o.Overwrite)
	if err != nil {
		return nil, err
	}
	if keep {
		o.tail = rand.Uint64() | 1
	}
	w, err := writerOn(f, o)
	if err != nil {
		return nil, f.Finish(err)
	}
	w.file = f
	if keep {
		w.keeper = newKeeper(w, path)
	}
	return w, nil
}

// CreateOn creates a bag in a new file, which has no checkpoints, because nobody opens it before the caller finishes
// it.
func CreateOn(f *place.Target, o bagstore.Options) (*Writer, error) {
	s := settings{Options: o}
	s.Checkpoint = -1
	s.NoSync = true // Finish syncs
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	return writerOn(f, s)
}

func writerOn(f *place.Target, o settings) (*Writer, error) {
	s, err := disk.Choose(f.File, disk.NewFile(f.File), o.Sink, o.directFrom, o.Staging)
	if err != nil {
		return nil, err
	}
	s.Waits = o.Waits
	return newWriter(s, o)
}
