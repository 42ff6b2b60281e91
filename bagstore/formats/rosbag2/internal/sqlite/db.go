package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/ncruces/go-sqlite3"
)

// Limits of what a database can make SQLite need.
const (
	maxMemory  = 128 << 20 // of SQLite for one database
	maxText    = 16 << 20  // a value that a statement reads; blobs are read piece by piece
	maxSQL     = 64 << 10  // a table's declaration
	pieceBytes = 1 << 20   // of a blob
)

var (
	// ErrNotDatabase: the file is no SQLite database.
	ErrNotDatabase = errors.New("not an SQLite database")
	// ErrCorrupt: SQLite can't follow the database's pages.
	ErrCorrupt = errors.New("the database is damaged")
)

// magic begins every database.
const magic = "SQLite format 3\x00"

// Is reports whether a file that begins with head is a database.
func Is(head []byte) bool { return len(head) >= len(magic) && string(head[:len(magic)]) == magic }

// DB is a database that is open for reading.
type DB struct {
	name    string
	r       io.ReaderAt
	page    int64 // bytes of a page, as the header says
	size    int64 // bytes that are there
	missing int64 // bytes that the database's own header counts beyond them

	mu     sync.Mutex
	conn   *sqlite3.Conn
	stmts  map[string]*sqlite3.Stmt
	blobs  map[string]*sqlite3.Blob
	broken error // SQLite can't go on
}

// Open opens the database that r holds, which must not change until Close. A
// database that was cut off reads as far as it is there; what lies in the missing part is an
// ErrCorrupt.
func Open(r io.ReaderAt, size int64) (*DB, error) {
	head := make([]byte, 100)
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return nil, fmt.Errorf("%w: header: %w", ErrNotDatabase, err)
	}
	if !Is(head) {
		return nil, ErrNotDatabase
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 64 << 10
	}
	claimed := page * int64(binary.BigEndian.Uint32(head[28:]))
	db := &DB{r: r, page: page, size: size, missing: max(0, claimed-size), stmts: make(map[string]*sqlite3.Stmt), blobs: make(map[string]*sqlite3.Blob)}
	db.name = files().add(source{r, max(size, claimed)})
	if err := db.open(); err != nil {
		db.Close() //nolint:errcheck // the first error counts
		return nil, err
	}
	return db, nil
}

func (db *DB) open() (err error) {
	defer db.guard(&err)
	ctx := sqlite3.WithMaxMemory(context.Background(), maxMemory)
	// Statements are interrupted by their own contexts, and not by this one.
	if db.conn, err = openConn(ctx, db.name); err != nil {
		return kind(err)
	}
	for option, on := range map[sqlite3.DBConfig]bool{
		sqlite3.DBCONFIG_DEFENSIVE: true, sqlite3.DBCONFIG_TRUSTED_SCHEMA: false, sqlite3.DBCONFIG_ENABLE_TRIGGER: false,
		sqlite3.DBCONFIG_ENABLE_VIEW: false, sqlite3.DBCONFIG_ENABLE_LOAD_EXTENSION: false, sqlite3.DBCONFIG_DQS_DML: false,
		sqlite3.DBCONFIG_DQS_DDL: false,
	} {
		if _, err := db.conn.Config(option, on); err != nil {
			return fmt.Errorf("SQLite option %d: %w", option, err)
		}
	}
	for limit, value := range map[sqlite3.LimitCategory]int{
		sqlite3.LIMIT_LENGTH: maxText, sqlite3.LIMIT_SQL_LENGTH: maxSQL, sqlite3.LIMIT_COLUMN: 64, sqlite3.LIMIT_EXPR_DEPTH: 20,
		sqlite3.LIMIT_ATTACHED: 0, sqlite3.LIMIT_TRIGGER_DEPTH: 0, sqlite3.LIMIT_WORKER_THREADS: 0, sqlite3.LIMIT_VDBE_OP: 10000,
	} {
		db.conn.Limit(limit, value)
	}
	if err := db.conn.Exec("PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY; PRAGMA query_only=ON; PRAGMA mmap_size=0"); err != nil {
		return kind(err)
	}
	return db.conn.SetAuthorizer(authorize)
}

func openConn(ctx context.Context, name string) (*sqlite3.Conn, error) {
	// The library offers no other way to open a context's database by flags.
	return sqlite3.OpenContext(ctx, "file:"+name+"?mode=ro&vfs="+vfsName)
}

// authorize lets statements read tables, and lists a table's columns.
func authorize(action sqlite3.AuthorizerActionCode, name, _, _, _ string) sqlite3.AuthorizerReturnCode {
	switch action {
	case sqlite3.AUTH_SELECT, sqlite3.AUTH_READ:
		return sqlite3.AUTH_OK
	case sqlite3.AUTH_PRAGMA:
		if name == "table_xinfo" || name == "table_list" || name == "integrity_check" {
			return sqlite3.AUTH_OK
		}
	}
	return sqlite3.AUTH_DENY
}

// guard turns the panics of the translated C code, such as that of memory that ran
// out, into errors. The database is of no more use after one.
func (db *DB) guard(err *error) {
	if p := recover(); p != nil {
		db.broken = fmt.Errorf("SQLite gave up: %v", p)
		*err = db.broken
	}
}

// kind makes the errors of damaged files known to callers.
func kind(err error) error {
	var code sqlite3.ErrorCode
	switch {
	case !errors.As(err, &code):
		return err
	case code == sqlite3.NOTADB:
		return fmt.Errorf("%w: %w", ErrNotDatabase, err)
	case code == sqlite3.CORRUPT, code == sqlite3.IOERR:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// Missing is how many bytes the database's header counts that aren't there.
func (db *DB) Missing() int64 { return db.missing }

// Size is the number of bytes that are there.
func (db *DB) Size() int64 { return db.size }

// Close ends the use of the database and of its reader.
func (db *DB) Close() (err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	files().remove(db.name)
	if db.conn == nil || db.broken != nil {
		return nil // its memory is Go's
	}
	defer db.guard(&err)
	for _, b := range db.blobs {
		b.Close() //nolint:errcheck // only read
	}
	for _, s := range db.stmts {
		s.Close() //nolint:errcheck // returns the error of the last step
	}
	err, db.conn, db.broken = db.conn.Close(), nil, errors.New("the database is closed")
	return err
}

// Row is a row of a query's result. Columns count from 0.
type Row struct{ s *sqlite3.Stmt }

// Int returns a number; 0 if the value can't be taken for one.
func (r Row) Int(column int) int64 { return r.s.ColumnInt64(column) }

// Text returns a text.
func (r Row) Text(column int) string { return r.s.ColumnText(column) }

// IsInt reports whether the value was stored as an integer.
func (r Row) IsInt(column int) bool { return r.s.ColumnType(column) == sqlite3.INTEGER }

// Query calls each for every row of the result, in which ? are numbers. It stops when
// each returns false. The statement is kept for the next time. each must not use the
// database.
func (db *DB) Query(sql string, each func(Row) (bool, error), numbers ...int64) (err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.broken != nil {
		return db.broken
	}
	defer db.guard(&err)
	s, ok := db.stmts[sql]
	if !ok {
		if s, _, err = db.conn.Prepare(sql); err != nil {
			return kind(err)
		}
		db.stmts[sql] = s
	}
	defer s.Reset() //nolint:errcheck // returns the error of the last step
	for i, n := range numbers {
		if err := s.BindInt64(i+1, n); err != nil {
			return err
		}
	}
	for s.Step() {
		if more, err := each(Row{s}); err != nil || !more {
			return err
		}
	}
	return kind(s.Err())
}

// Blob appends the bytes of a column of the row with that id to what alloc returns
// for its size. A size that the file doesn't have is an error before anything is
// allocated.
func (db *DB) Blob(table, column string, row int64, alloc func(n int) []byte) (_ []byte, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.broken != nil {
		return nil, db.broken
	}
	defer db.guard(&err)
	key := table + "." + column
	b := db.blobs[key]
	if b == nil {
		b, err = db.conn.OpenBlob("main", table, column, row, false)
	} else {
		err = b.Reopen(row)
	}
	if err != nil {
		b.Close() //nolint:errcheck // a handle that failed to move is of no more use
		delete(db.blobs, key)
		return nil, kind(err)
	}
	db.blobs[key] = b
	if b.Size() > db.size {
		return nil, fmt.Errorf("%w: a value of %d bytes in a file of %d", ErrCorrupt, b.Size(), db.size)
	}
	w := appender{alloc(int(b.Size()))}
	if _, err := b.WriteTo(&w); err != nil {
		return nil, kind(err)
	}
	return w.b, nil
}

type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// Column is a column of a table.
type Column struct {
	Name      string
	Generated bool // computed when it is read
}

// Columns lists the columns of a table. There are none if the database has no such
// table, or a view or virtual table of that name.
func (db *DB) Columns(table string) (columns []Column, err error) {
	found := false
	err = db.Query("PRAGMA table_list", func(r Row) (bool, error) {
		found = found || r.Text(0) == "main" && strings.EqualFold(r.Text(1), table) && r.Text(2) == "table" && r.Int(4) == 0
		return true, nil
	})
	if err != nil || !found {
		return nil, err
	}
	// A table's name can't be a parameter here; it comes from our own source.
	err = db.Query("PRAGMA table_xinfo("+table+")", func(r Row) (bool, error) {
		columns = append(columns, Column{Name: r.Text(1), Generated: r.Int(6) != 0})
		return true, nil
	})
	return columns, err
}

// Check has SQLite compare all pages and indexes, and returns what it finds, up to
// most lines.
func (db *DB) Check(most int) (problems []string, err error) {
	err = db.Query(fmt.Sprintf("PRAGMA integrity_check(%d)", most), func(r Row) (bool, error) {
		if text := r.Text(0); text != "ok" {
			problems = append(problems, strings.Split(text, "\n")...)
		}
		return true, nil
	})
	return problems, err
}
