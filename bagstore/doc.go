// Package bagstore reads and writes rosbag 2.0 files and reads 1.2 files.
//
// A bag is a list of chunks, each holding messages and the connection records
// that first describe their topics, followed by index records that say at
// which offset each message stands. At the end stands an index section:
// every connection again, and one chunk info record a chunk (docs/format-rosbag.md).
//
// Reading: Open reads the index section alone; a bag without one, or one that
// was torn off, is scanned. A View selects messages from any number of bags,
// an Iterator walks them in time order, forward and backward, and loads the
// index of a chunk when it comes to it. A Bag and a View may be used by many
// goroutines; an Iterator belongs to one.
//
// Memory: Message.Data belongs to the iterator and is valid until it moves.
// Hold keeps it alive for as long as the caller wants, in any goroutine.
//
// Writing: a Writer belongs to one goroutine. What Write got may be reused
// when it returns; Lend lets the caller go on while the disk works. The file is a valid,
// indexed bag at every instant from Create on: see Checkpoint.
//
// Whole files: Inspect, Check, Recover, Rewrite, Merge and Split are functions
// of paths and options that the command line only calls.
//
// Nothing in a file is believed before it is checked: lengths are bounded by
// the bytes that are there, and errors are FormatErrors with path, offset and
// record kind.
package bagstore
