// Package mcap reads MCAP files of any writer, with or without an index, including files
// that were cut off. It implements container.Container and knows no message types.
//
// With an index, opening reads the summary at the end and the message indexes of
// the chunks. If the index is missing or damaged, the file is scanned as far as it is
// whole. Chunks are the blocks; messages outside chunks form separate blocks.
//
// A chunk of which all messages are read is compared with its checksum: Found has the result.
//
// Records are parsed here and not by the library that writes them: its parsers trust
// lengths.
package mcap
