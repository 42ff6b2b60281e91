// Package dbpages reads SQLite databases without SQLite (sqlite.org/fileformat2.html): sound ones, and what is
// left of damaged ones.
//
// [File.Schema] and [Table] describe where a table is and what its columns are. [File.Rows] descends the table's tree
// from its root and lists the rows in order. In a damaged database, [File.Tree] lists the leaves that the tree
// still reaches, and [File.EachLeaf] those of all tables in the file, which it recognizes by their
// format. [File.Check] compares the pages with each other. [OpenWAL] and [OpenJournal] apply what a
// killed writer left next to a database. Nothing is ever written.
//
// Every length and page number is checked against the file before it is used, and no page of a tree is visited
// twice. A File may be used by many goroutines, a [Reader] by one.
package dbpages
