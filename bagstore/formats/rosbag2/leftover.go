package rosbag2

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2/internal/dbpages"
	"rsros/program/regular"
)

// A killed recorder leaves a rollback journal, with pages from before an incomplete transaction, or
// a write-ahead log, with pages of complete transactions. SQLite applies them by writing to the
// database; here they are only read.

// withLeftovers returns a reader of the database with journal and log applied.
func (f *File) withLeftovers(db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	db, size, err := f.withJournal(db, size)
	if err != nil {
		return nil, 0, err
	}
	return f.withLog(db, size)
}

// leftover opens the file next to the database with another ending, after following links. It is
// nil if there is none or it is empty.
func (f *File) leftover(ending string) (*os.File, int64, error) {
	path := f.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	b, err := regular.Open(path + ending)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, regular.ErrNot) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	f.closes = append(f.closes, b)
	st, err := b.Stat()
	if err != nil || st.Size() == 0 {
		return nil, 0, err
	}
	return b, st.Size(), nil
}

func (f *File) withJournal(db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	j, n, err := f.leftover("-journal")
	if err != nil {
		f.notes.Addf(bagstore.Loss, -1, "journal", "the last messages may be damaged: %v", err)
		return db, size, nil
	}
	if j == nil {
		return db, size, nil
	}
	head := make([]byte, 8)
	if _, err := j.ReadAt(head, 0); err != nil || !dbpages.Hot(head) {
		return db, size, nil
	}
	o, err := dbpages.OpenJournal(db, size, j, n)
	if err != nil {
		f.notes.Addf(bagstore.Loss, -1, "journal", "%s can't be used, so the last messages may be damaged: %v", j.Name(), err)
		return db, size, nil
	}
	f.notes.Addf(bagstore.Repairable, -1, "journal",
		"the recorder was killed in a transaction, which %d pages of %s undo; that file is part of the recording", o.Pages(), j.Name())
	return o, o.Size(), nil
}

func (f *File) withLog(db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	log, n, err := f.leftover("-wal")
	if err != nil || log == nil {
		return db, size, err
	}
	w, err := dbpages.OpenWAL(db, size, log, n)
	if err != nil {
		f.notes.Addf(bagstore.Loss, -1, "write-ahead log", "%s can't be used: %v", log.Name(), err)
		return db, size, nil
	}
	if w.Pages() > 0 {
		f.notes.Addf(bagstore.Harmless, -1, "write-ahead log", "the recorder was killed; %d pages are in %s, which is part of the recording", w.Pages(), log.Name())
	}
	return w, w.Size(), nil
}
