// Package sqlite reads SQLite databases that nobody vouches for. It is the one place that
// knows the SQLite library.
//
// SQLite sees nothing but an io.ReaderAt: it can't write, lock, look for files
// beside the database, or make temporary ones, so a read-only folder is as good as
// any. The schema is taken for data: triggers, views, virtual tables and functions
// don't run, and statements may read tables and nothing else. A cell that claims
// more bytes than the file has is an error, and so is a database that makes SQLite
// need more than its share of memory.
//
// A DB may be used from several goroutines; they take turns.
package sqlite
