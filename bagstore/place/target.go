package place

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix is the suffix of unfinished files. A killed program's is replaced by the next one.
const Suffix = ".partial"

// Target is a file that is being written: new, and locked until it is closed. Finish ends it.
type Target struct {
	*os.File
	Unsynced bool // Finish doesn't wait for the medium: for one of many files that can be made again

	ctx       context.Context // ends uploads
	name      string          // the final name, a path or an address
	path      string          // the present one
	overwrite bool
	made      fs.FileInfo // that Finish may remove; nil: it was there before
}

// New creates a file that has its name at once, as recordings do, and a durable one. With overwrite it truncates an
// existing file. Otherwise the error for one is fs.ErrExist, and also ErrLocked if a program is writing it. The error
// for a device, a named pipe, a folder or a symbolic link is localfile.ErrNotRegular. New never changes a file that it
// refuses.
func New(path string, overwrite bool) (*Target, error) {
	f, fresh, err := openLocked(path, overwrite)
	if err != nil {
		return nil, err
	}
	t := &Target{File: f, name: path, path: path}
	if fresh {
		if t.made, err = f.Stat(); err == nil {
			err = syncFolder(filepath.Dir(path))
		}
	} else {
		err = f.Truncate(0)
	}
	if err != nil {
		return nil, t.Finish(err)
	}
	return t, nil
}

// Create creates the temporary file of one that appears at a path, or of an object that appears at an address, when it
// is finished. Without overwrite the error for an existing one is fs.ErrExist. Create replaces an abandoned temporary
// file, and fails if one is being written. The temporary file of an object is in the folder of SetTemp; Finish uploads
// it, until ctx ends. Create tries whether the store lets it write the object.
func Create(ctx context.Context, name string, overwrite bool) (*Target, error) {
	if err := Free(ctx, name, overwrite); err != nil {
		return nil, err
	}
	temp := name + Suffix
	if IsAddress(name) {
		var err error
		if temp, err = temporary(name); err == nil {
			err = Probe(ctx, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return createAs(ctx, temp, name, overwrite)
}

func createAs(ctx context.Context, temp, name string, overwrite bool) (*Target, error) {
	// An abandoned file isn't truncated, because its program may have given it another name, too.
	f, fresh, err := openLocked(temp, true)
	if err != nil {
		return nil, err
	}
	if !fresh {
		if err := Unlock(f); err != nil {
			return nil, err
		}
		if f, _, err = openLocked(temp, false); err != nil {
			return nil, err
		}
	}
	t := &Target{File: f, ctx: ctx, name: name, path: temp, overwrite: overwrite}
	if t.made, err = f.Stat(); err != nil {
		return nil, errors.Join(err, Unlock(f))
	}
	return t, nil
}

// Gone returns ErrGone if another program has taken the file away, or if it has fewer than least bytes.
func (t *Target) Gone(least int64) error { return gone(t.File, t.path, least) }

// Appear gives the file its name at once, while it is being written.
func (t *Target) Appear() (err error) {
	t.File, err = renameOpen(t.File, t.name, func() error { return RenameDurably(t.path, t.name, t.overwrite) })
	if err == nil {
		t.path, t.made = t.name, nil
	}
	return err
}

// Finish closes the file, gives it its name, and makes both survive a power cut, or uploads it. Without overwrite it
// refuses to replace a file or object. After an error, which may be the caller's, it removes a file that it created;
// only a finished one that can't be uploaded stays, and the error names it.
func (t *Target) Finish(err error) error {
	if err == nil && t.path != t.name && !IsAddress(t.name) && !t.Unsynced {
		err = fsync(t.File)
	}
	switch {
	case err != nil:
		if !IsAddress(t.name) { // the disk is that of the temporary file
			err = unwritten(err, t.path, t.name)
		}
		return errors.Join(err, closeAfter(t.File, t.remove))
	case t.path == t.name:
		return t.Close()
	case IsAddress(t.name):
		return t.send()
	}
	rename := RenameDurably
	if t.Unsynced {
		rename = Rename
	}
	return closeAfter(t.File, func() error {
		if err := rename(t.path, t.name, t.overwrite); err != nil {
			return errors.Join(err, t.remove())
		}
		return nil
	})
}

// remove removes the file if this program has created it and its name still refers to it.
func (t *Target) remove() error {
	if t.made == nil {
		return nil
	}
	return removeSame(t.path, t.made)
}

// send uploads the file.
func (t *Target) send() error {
	f, err := os.Open(t.path) // t.File may be read in blocks only
	if err == nil {
		err = errors.Join(upload(t.ctx, f, t.name, !t.overwrite), f.Close())
	}
	if err == nil || t.name == Stream {
		return errors.Join(err, closeAfter(t.File, t.remove))
	}
	return closeAfter(t.File, func() error { return keepUnsent(t.path, t.name, err) })
}

// Write writes a file or object with write, which must not close the file. It appears at name if write returns nil;
// otherwise nothing is left. Without overwrite the error for an existing one is fs.ErrExist.
func Write(ctx context.Context, name string, overwrite bool, write func(*os.File) error) error {
	t, err := Create(ctx, name, overwrite)
	if err != nil {
		return err
	}
	return t.Finish(write(t.File))
}
