// Package pagedb writes SQLite databases that are whole at every instant, without SQLite and
// without a journal (sqlite.org/fileformat2.html).
//
// A page that a reader may be reading is never overwritten: changes are written to other pages, up
// to the roots, and [Writer.Commit] makes them visible at once by writing page 1, which has the
// roots, the size and the free pages. So a killed process leaves its last commit, and other programs
// see a whole commit. Replaced pages are used again after [reuseAfter] commits.
//
// Rows are appended in the order of their ids. A table may have one index on an integer column,
// whose values may come in any order. A Writer is for one goroutine.
package pagedb
