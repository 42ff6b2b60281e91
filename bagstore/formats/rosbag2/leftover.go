package rosbag2

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2/internal/dbpages"
)

// A recorder that was killed leaves files beside its database, which belong to it: a rollback
// journal, with pages as they were before a transaction that was not completed, or a write-ahead
// log, with pages that a completed one wrote. SQLite would take them in by writing to the
// database; here they are read, and all files stay.

// withBeside returns a reader of the database with what lies beside it taken in.
func (f *File) withBeside(db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	db, size, err := f.withJournal(db, size)
	if err != nil {
		return nil, 0, err
	}
	return f.withLog(db, size)
}

// beside opens a file beside the database, or where the database is that the path leads to. It is nil
// if there is none or it is empty.
func (f *File) beside(ending string) (*os.File, int64, error) {
	path := f.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	b, err := os.Open(path + ending)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	f.closes = append(f.closes, b)
	st, err := b.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
		return nil, 0, err
	}
	return b, st.Size(), nil
}

// withJournal undoes a transaction that was not completed.
func (f *File) withJournal(db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	j, n, err := f.beside("-journal")
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
		f.notes.Addf(bagstore.Loss, -1, "journal", "%s is left out, and the last messages may be damaged: %v", j.Name(), err)
		return db, size, nil
	}
	f.notes.Addf(bagstore.Repairable, -1, "journal",
		"the recorder was killed in a transaction, which is undone by %d pages of %s; that file belongs to the recording", o.Pages(), j.Name())
	return o, o.Size(), nil
}

// withLog takes in what a write-ahead log has.
func (f *File) withLog(db io.ReaderAt, size int64) (io.ReaderAt, int64, error) {
	log, n, err := f.beside("-wal")
	if err != nil || log == nil {
		return db, size, err
	}
	w, err := dbpages.OpenWAL(db, size, log, n)
	if err != nil {
		f.notes.Addf(bagstore.Loss, -1, "write-ahead log", "%s is left out: %v", log.Name(), err)
		return db, size, nil
	}
	if w.Pages() > 0 {
		f.notes.Addf(bagstore.Harmless, -1, "write-ahead log", "the recorder was killed; %d pages are in %s, which belongs to the file", w.Pages(), log.Name())
	}
	return w, w.Size(), nil
}
