package db3

import (
	"context"
	"errors"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
	"rsros/bagstore/place"
)

// live is a file that others may read at every instant of its writing.
type live struct {
	*place.Commits
	noSync bool
	size   int64         // of the file as of the last commit
	kept   bagstore.Kept // as of the last commit that is safe; a running one may change it
}

// Create creates a .db3 file, which is a whole database whenever its name exists, and locks it until Close. begin
// writes what it has from the start. A commit makes what was written visible and safe from kill -9. The options are
// Overwrite, NoSync, Checkpoint and Now, as for rosbag.Create. The error for an existing file is fs.ErrExist.
func Create(path string, o bagstore.Options, begin func(*Writer) error) (*Writer, error) {
	return create(path, o, schema2, begin)
}

// CreateDefined is Create for schema 4, which has the definitions of types.
func CreateDefined(path string, o bagstore.Options) (*Writer, error) {
	return create(path, o, schema4, (*Writer).define)
}

func create(path string, o bagstore.Options, schema []sqlite.Declaration, begin func(*Writer) error) (*Writer, error) {
	if kind := o.Kind(); kind != bagstore.None {
		return nil, fmt.Errorf("create %s: a .db3 file isn't compressed by %s", path, kind)
	}
	f, err := place.Create(context.Background(), path, o.Overwrite)
	if err != nil {
		return nil, err
	}
	w := newWriter(f.File, schema, &live{Commits: place.NewCommits(f, o.Checkpoint, o.Now), noSync: o.NoSync})
	w.f.Waits = o.Waits
	if err = begin(w); err == nil {
		err = w.db.Commit()
	}
	if err == nil {
		err = w.sync()
	}
	if err == nil {
		err = f.Appear()
	}
	if err != nil {
		return nil, f.Finish(err)
	}
	return w, nil
}

// CommitIfDue commits if it is time. What belongs together must have been written. The error is
// bagstore.ErrGone if somebody else took the file away.
func (w *Writer) CommitIfDue() error {
	if due, err := w.live.Due(w.live.size); !due {
		return err
	}
	return w.Commit()
}

// Commit commits what was written, without waiting for the medium: until all of it is there, a
// reader sees the previous commit.
func (w *Writer) Commit() error {
	l := w.live
	if err := l.Wait(); err != nil || !w.db.Changed() {
		return err
	}
	show, err := w.prepare()
	switch {
	case err != nil:
		return err
	case l.noSync:
		return show()
	}
	l.Go(show)
	return nil
}

// prepare writes all changes but page 1, and returns the function that shows them to readers.
func (w *Writer) prepare() (show func() error, err error) {
	l := w.live
	page, err := w.db.Prepare()
	if err != nil {
		return nil, err
	}
	l.size = w.db.Size()
	kept := w.written.Clone()
	return func() error {
		err := w.sync()
		if err == nil {
			err = w.f.WriteHead(page)
		}
		if err == nil {
			l.kept = kept
		}
		return err
	}, nil
}

func (w *Writer) sync() error {
	if w.live.noSync {
		return nil
	}
	return w.f.Sync()
}

func (w *Writer) closeLive() error {
	l := w.live
	err := l.Wait()
	if err == nil {
		err = l.Gone(l.size)
	}
	if err == nil && w.db.Changed() {
		err = w.last()
	}
	if !errors.Is(err, bagstore.ErrGone) {
		w.kept = l.kept
	}
	return errors.Join(err, w.f.Finish(), l.Close())
}

func (w *Writer) last() error {
	show, err := w.prepare()
	if err == nil {
		err = show()
	}
	if err == nil {
		err = w.sync()
	}
	return err
}
