// Package pagedb writes SQLite databases that are whole at every instant, without SQLite
// and without a journal. It lays out the pages itself (sqlite.org/fileformat2.html).
//
// A page that a reader may look at is never written again: what changes goes to other
// pages, up to the roots of the trees, and [Writer.Commit] makes all of it visible at once
// by writing page 1, in which the roots, the size and the free pages are. So a process
// that is killed leaves the database as of its last commit, and programs that open the
// file meanwhile, even read-only, see it as of one commit. Pages that were replaced
// are free, and used again after [reuseAfter] commits.
//
// Rows are appended in the order of their ids. A table may have one index on an integer
// column, whose values may come in any order.
//
// A Writer is for one goroutine.
package pagedb
