// Package mcap reads MCAP files: those of ROS 2's recorder, of this program's export, and
// of others, with or without an index, also those that were cut off. It is a
// container.Container; it knows nothing of message types.
//
// With an index, opening reads the summary at the end and the message indexes of
// the chunks. Without one, or where it is damaged, the file is scanned as far as it is
// whole. Chunks are the blocks; messages outside of chunks form blocks of their
// own.
//
// Records are parsed here and not by the library that writes them: its parsers trust
// lengths.
package mcap
