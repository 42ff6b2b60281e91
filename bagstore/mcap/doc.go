// Package mcap reads and writes MCAP files. It reads those of any writer, with or without an index, including files that were
// cut off: a [File] is a [bagstore.Messages], and knows no message types.
//
// With an index, opening reads the summary at the end and the message indexes of the chunks. If the index is missing or
// damaged, the file is scanned as far as it is whole. Chunks are the blocks; messages outside chunks form separate blocks.
//
// A chunk of which all messages are read is compared with its checksum; [File.Found] has the result.
//
// A [Writer] makes a file in one go, a [Live] one whose messages arrive while it is written. Records are read and written here,
// not by a library, whose parsers trust lengths.
package mcap
