// Package sqlite reads and writes SQLite databases without SQLite (sqlite.org/fileformat2.html). It reads sound ones,
// and what is left of damaged ones. Those that it writes are whole at every instant, without a journal.
//
// A database is pages of equal size, from 1. Each table is a tree of them; page 1 is the root of the table that names
// the others. Numbers are big-endian; a varint has seven bits a byte.
//
//	page 1     | "SQLite format 3" 00 | … its header, 100 bytes | a page of a tree |
//	interior   | 05 | free 16 | cells 16 | content 16 | 8 | right child 32 | offset 16 of each cell … cells |
//	leaf       | 0d | free 16 | cells 16 | content 16 | 8 |                  offset 16 of each cell … cells |
//	cell above | left child 32 | last row varint |
//	cell       | size varint | row varint | record, or its start and the first overflow page 32 |
//	overflow   | next page 32 | more of the record |
//	record     | header size varint | type varint of each column | values |
//
// # Reading
//
// [File.Schema] and [Table] describe where a table is and what its columns are. [File.Rows] descends the table's tree
// from its root and lists the rows in order. In a damaged database, [File.Tree] lists the leaves that the tree
// still reaches, and [File.EachLeaf] those of all tables in the file, which it recognizes by their
// format. [OpenWAL] and [OpenJournal] apply what a killed writer left next to a database, without writing to it.
//
// Every length and page number is checked against the file before it is used, and no page of a tree is visited
// twice. A File may be used by many goroutines, a [Reader] by one.
//
// # Writing
//
// A page that a reader may be reading is never overwritten: a [Writer] writes changes to other pages, up to the roots,
// and [Writer.Commit] makes them visible at once by writing page 1, which has the roots, the size and the free pages.
// So a killed process leaves its last commit, and other programs see a whole commit. Replaced pages are used again
// after [reuseAfter] commits.
//
// Rows are appended in the order of their ids. A table may have one index on an integer column, whose values may come
// in any order. A Writer is for one goroutine. Files write*.go are about it.
package sqlite
