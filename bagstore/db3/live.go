package db3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
	"rsros/bagstore/place"
)

// live is a file that others may read at every instant of its writing.
type live struct {
	f    *place.Target
	o    bagstore.Options
	next time.Time // when a commit is due
	size int64     // of the file as of the last commit

	syncing atomic.Bool
	commit  sync.WaitGroup // the one that is being made safe
	mu      sync.Mutex
	err     error         // of it
	kept    bagstore.Kept // as of the last commit that is safe
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
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Checkpoint = cmp.Or(o.Checkpoint, defaultCommit)
	f, err := place.Create(context.Background(), path, o.Overwrite)
	if err != nil {
		return nil, err
	}
	l := &live{f: f, o: o, next: o.Now().Add(o.Checkpoint)}
	w := newWriter(f.File, schema, l)
	w.f.Waits = o.Waits
	if err = begin(w); err == nil {
		err = w.db.Commit()
	}
	if err == nil && !o.NoSync {
		err = w.f.Sync()
	}
	if err == nil {
		err = f.Appear()
	}
	if err != nil {
		return nil, f.Finish(err)
	}
	return w, nil
}

// defaultCommit is how often a file is made whole while it is written.
const defaultCommit = 500 * time.Millisecond

// CommitIfDue commits if it is time. What belongs together must have been written. The error is
// bagstore.ErrGone if somebody else took the file away.
func (w *Writer) CommitIfDue() error {
	l := w.live
	now := l.o.Now()
	if err := l.failed(); err != nil || now.Before(l.next) || l.syncing.Load() || l.o.Checkpoint < 0 {
		return err
	}
	l.next = now.Add(l.o.Checkpoint)
	if err := l.f.Gone(l.size); err != nil {
		return err
	}
	return w.Commit()
}

// Commit commits what was written, without waiting for the medium: until all of it is there, a
// reader sees the previous commit.
func (w *Writer) Commit() error {
	l := w.live
	l.commit.Wait()
	if err := l.failed(); err != nil || !w.db.Changed() {
		return err
	}
	page, err := w.db.Prepare()
	if err != nil {
		return err
	}
	l.size = w.db.Size()
	kept := w.written.Clone()
	if l.o.NoSync {
		if err = w.f.WriteHead(page); err == nil {
			l.kept = kept
		}
		return err
	}
	l.syncing.Store(true)
	l.commit.Go(func() {
		defer l.syncing.Store(false)
		err := w.f.Sync()
		if err == nil {
			err = w.f.WriteHead(page)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if err != nil {
			l.err = fmt.Errorf("commit: %w", err)
		} else {
			l.kept = kept
		}
	})
	return nil
}

func (l *live) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (w *Writer) closeLive() error {
	l := w.live
	l.commit.Wait()
	err := l.failed()
	if err == nil {
		err = l.f.Gone(l.size)
	}
	if err == nil && w.db.Changed() {
		err = w.last()
	}
	if !errors.Is(err, bagstore.ErrGone) {
		w.kept = l.kept
	}
	return errors.Join(err, w.f.Finish(), l.f.Close())
}

func (w *Writer) last() error {
	sync := w.f.Sync
	if w.live.o.NoSync {
		sync = func() error { return nil }
	}
	page, err := w.db.Prepare()
	if err == nil {
		err = sync()
	}
	if err == nil {
		err = w.f.WriteHead(page)
	}
	if err == nil {
		w.live.kept = w.written
		err = sync()
	}
	return err
}
