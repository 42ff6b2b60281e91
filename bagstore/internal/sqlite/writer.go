package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// Of a Writer.
const (
	writerCache = 8 << 20   // bytes of pages that SQLite keeps
	writerHeap  = 700 << 20 // of SQLite in all; a row of 256 MiB fits, twice
)

// Writer makes a new database. It keeps no journal: when it fails or is killed, the
// file is of no use, so it is for files that get their names when they are whole. It
// is for one goroutine.
type Writer struct {
	name  string
	conn  *sqlite3.Conn
	stmts map[string]*sqlite3.Stmt
	err   error
}

// NewWriter makes a database in f, which is empty, stays the caller's and must not be
// used by anybody else until Close. schema creates its tables.
func NewWriter(f *os.File, schema string) (*Writer, error) {
	w := &Writer{stmts: make(map[string]*sqlite3.Stmt)}
	w.name = files().add(written{f})
	if err := w.open(schema); err != nil {
		w.Close() //nolint:errcheck // the first error counts
		return nil, fmt.Errorf("create database: %w", err)
	}
	return w, nil
}

func (w *Writer) open(schema string) (err error) {
	defer w.guard(&err)
	ctx := sqlite3.WithMaxMemory(context.Background(), writerHeap)
	if w.conn, err = sqlite3.OpenContext(ctx, "file:"+w.name+"?mode=rwc&vfs="+vfsName); err != nil {
		return err
	}
	const settings = "PRAGMA page_size=4096; PRAGMA encoding='UTF-8'; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; " +
		"PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; "
	return w.conn.Exec(fmt.Sprintf("%sPRAGMA cache_size=-%d; BEGIN; %s", settings, writerCache>>10, schema))
}

// guard turns the panics of the translated C code into errors.
func (w *Writer) guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("SQLite gave up: %v", p)
		w.conn = nil // its memory is Go's
	}
	if *err != nil && w.err == nil {
		w.err = *err
	}
}

// Run runs a statement whose parameters are numbers, texts and blobs: int64, string
// and []byte. The statement is kept for the next time. After an error every call
// fails with it.
func (w *Writer) Run(sql string, args ...any) (err error) {
	if w.err != nil {
		return w.err
	}
	defer w.guard(&err)
	s, ok := w.stmts[sql]
	if !ok {
		if s, _, err = w.conn.Prepare(sql); err != nil {
			return err
		}
		w.stmts[sql] = s
	}
	for i, a := range args {
		switch a := a.(type) {
		case int64:
			err = s.BindInt64(i+1, a)
		case string:
			err = s.BindText(i+1, a)
		case []byte:
			err = s.BindBlob(i+1, a)
		default:
			err = fmt.Errorf("parameter of type %T", a)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(s.Exec(), s.ClearBindings())
}

// Flush hands all that was written to the operating system. Call it now and then: what
// isn't flushed takes memory.
func (w *Writer) Flush() (err error) {
	if w.err != nil {
		return w.err
	}
	defer w.guard(&err)
	return w.conn.Exec("COMMIT; BEGIN")
}

// Close makes the database whole. It doesn't sync the file.
func (w *Writer) Close() (err error) {
	defer files().remove(w.name)
	if w.conn == nil {
		return w.err
	}
	defer w.guard(&err)
	if w.err == nil {
		err = w.conn.Exec("COMMIT")
	}
	for _, s := range w.stmts {
		err = errors.Join(err, s.Close())
	}
	err = errors.Join(w.err, err, w.conn.Close())
	w.conn = nil
	w.err = errors.New("the database is closed")
	return err
}

// written is a database that is being made. Nobody else has it, so locks do nothing.
type written struct{ f *os.File }

func (w written) ReadAt(p []byte, off int64) (int, error)  { return w.f.ReadAt(p, off) }
func (w written) WriteAt(p []byte, off int64) (int, error) { return w.f.WriteAt(p, off) }
func (w written) Truncate(size int64) error                { return w.f.Truncate(size) }
func (w written) Sync(vfs.SyncFlag) error                  { return w.f.Sync() }
func (w written) Close() error                             { return nil }
func (w written) Lock(vfs.LockLevel) error                 { return nil }
func (w written) Unlock(vfs.LockLevel) error               { return nil }
func (w written) CheckReservedLock() (held bool, _ error)  { return false, nil }
func (w written) SectorSize() int                          { return 0 }

func (w written) Size() (int64, error) {
	st, err := w.f.Stat()
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

func (w written) DeviceCharacteristics() vfs.DeviceCharacteristic { return 0 }
