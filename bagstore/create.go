package bagstore

import (
	"errors"
	"os"
	"syscall"

	"rsros/bagstore/internal/disk"
)

// Create makes or overwrites a bag file. From here on it is a valid bag.
func Create(path string, o Options) (*Writer, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	var fallback error
	if o.Sink == Direct {
		w, err := createDirect(path, o)
		if err == nil {
			return w, nil
		}
		fallback = err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	d := disk.NewFile(f)
	if o.Preallocate > 0 {
		// Only a wish: a file system without it writes all the same.
		_ = d.Allocate(o.Preallocate)
	}
	w, err := newWriter(disk.NewBuffered(d), o)
	if err != nil {
		return nil, errors.Join(err, d.Close(), os.Remove(path))
	}
	w.stats.Fallback = fallback
	return w, nil
}

// createDirect fails where the file system can't; then nothing is left behind.
func createDirect(path string, o Options) (*Writer, error) {
	f, err := disk.OpenDirect(path)
	if err != nil {
		return nil, err
	}
	d := disk.NewFile(f)
	w, err := newWriter(disk.NewDirect(d, o.Preallocate), o)
	if err != nil {
		if errors.Is(err, syscall.EINVAL) {
			err = errors.New("the file system takes no direct writes")
		}
		return nil, errors.Join(err, d.Close(), os.Remove(path))
	}
	return w, nil
}
