// Package dbpages reads SQLite databases without SQLite (sqlite.org/fileformat2.html): sound ones, and what is
// left of damaged ones.
//
// [File.Schema] and [Table] say where a table is and what its columns are, [File.Rows] descends the table's tree
// from its root and lists the rows in their order. Of a damaged database, [File.Tree] lists the leaves that the tree
// still leads to, and [File.EachLeaf] those of all tables in the whole file: a leaf can be told from other
// pages by its form. [File.Check] compares the pages with each other. [OpenWAL] and [OpenJournal] apply what a
// killed writer left next to a database. Nothing is ever written.
//
// Every length and page number is checked against the file before it is used, and no page is visited twice on the way
// through a tree. A File may be used by many goroutines, a [Reader] by one.
package dbpages
