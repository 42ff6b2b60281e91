// Package dbpages reads the rows of damaged SQLite databases from their pages, without SQLite and
// without trusting what leads to a page (sqlite.org/fileformat2.html).
//
// SQLite finds rows from the first page on: by the schema, the root of a table, and the pages
// above its leaves. If one of these is gone, so are all rows below it. The rows themselves are
// whole in the leaves, which can be told from other pages by their form: [File.Tree] lists
// those that the tree still leads to, [File.EachLeaf] those of all tables in the whole file.
//
// Every length and page number is checked against the file before it is used. A File may be
// used by many goroutines, a [Reader] by one.
package dbpages
