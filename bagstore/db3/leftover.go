package db3

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
	"rsros/bagstore/place"
	"rsros/program/localfile"
)

// A killed recorder leaves a rollback journal, with pages from before an incomplete transaction, or a write-ahead log,
// with pages of complete transactions. SQLite applies them by writing to the database; here they are only read.

// withLeftovers returns a reader of the database with journal and log applied.
func (f *File) withLeftovers(ctx context.Context, db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	db, size, err := f.withJournal(ctx, db, size)
	if err != nil {
		return nil, 0, err
	}
	return f.withLog(ctx, db, size)
}

// leftover opens the file next to the database with another ending, after following links. It is
// nil if there is none or it is empty.
func (f *File) leftover(ctx context.Context, ending string) (place.File, int64, error) {
	name := f.files[0].Info().Name
	if !place.IsAddress(name) {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			name = real
		}
	}
	b, err := place.Open(ctx, place.Sibling(name, place.Base(name)+ending))
	// Who may not list a bucket is forbidden what isn't there.
	hidden := place.IsAddress(name) && errors.Is(err, fs.ErrPermission)
	if hidden || errors.Is(err, fs.ErrNotExist) || errors.Is(err, localfile.ErrNotRegular) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	f.files = append(f.files, b)
	if b.Info().Size == 0 {
		return nil, 0, nil
	}
	if err := place.Fetch(ctx, b, nil); err != nil {
		return nil, 0, err
	}
	return b, b.Info().Size, nil
}

func (f *File) withJournal(ctx context.Context, db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	j, n, err := f.leftover(ctx, "-journal")
	if place.Ended(err) {
		return nil, 0, err
	}
	if err != nil {
		f.notes.Addf(bagstore.Loss, -1, "journal", "the last messages may be damaged: %v", err)
		return db, size, nil
	}
	if j == nil {
		return db, size, nil
	}
	head := make([]byte, 8)
	if _, err := j.ReadAt(head, 0); err != nil || !sqlite.Hot(head) {
		return db, size, nil
	}
	o, err := sqlite.OpenJournal(db, size, j, n)
	if err != nil {
		f.notes.Addf(bagstore.Loss, -1, "journal", "%s can't be used, so the last messages may be damaged: %v",
			j.Info().Name, err)
		return db, size, nil
	}
	f.notes.Addf(bagstore.Repairable, -1, "journal",
		"the recorder was killed in a transaction, which %d pages of %s undo; that file is part of the recording",
		o.Pages(), j.Info().Name)
	return o, o.Size(), nil
}

func (f *File) withLog(ctx context.Context, db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	log, n, err := f.leftover(ctx, "-wal")
	if err != nil || log == nil {
		return db, size, err
	}
	w, err := sqlite.OpenWAL(db, size, log, n)
	if err != nil {
		f.notes.Addf(bagstore.Loss, -1, "write-ahead log", "%s can't be used: %v", log.Info().Name, err)
		return db, size, nil
	}
	if w.Pages() > 0 {
		f.notes.Addf(bagstore.Harmless, -1, "write-ahead log",
			"the recorder was killed; %d pages are in %s, which is part of the recording", w.Pages(), log.Info().Name)
	}
	return w, w.Size(), nil
}
