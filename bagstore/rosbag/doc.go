// Package rosbag reads and writes rosbag 2.0 files and reads 1.2 files.
//
// A bag is a list of chunks. A chunk holds messages, and the connection records that first describe their topics; the
// index records after it give the offset of each message. The index section at the end repeats every connection and has
// one chunk info record for each chunk (docs/internals/format-rosbag.md).
//
//	"#ROSBAG V2.0\n" | file header | (chunk | index …)… | connection … | chunk info …
//	                       └─ index_pos ─────────────────►
//
//	record          | header length 32 | field … | data length 32 | data |     numbers are little-endian
//	field           | length 32 | name "=" value |                             op says what record it is
//
//	file header 03  index_pos 64, conn_count 32, chunk_count 32 | spaces, to byte 4117
//	chunk       05  compression, size 32 | connection and message records, compressed or not
//	message     02  conn 32, time 64 | the message
//	connection  07  conn 32, topic | fields type, md5sum, message_definition, …
//	index       04  ver 32, conn 32, count 32 | (time 64, offset 32 of the record in the uncompressed chunk)…
//	chunk info  06  ver 32, chunk_pos 64, start_time 64, end_time 64, count 32 | (conn 32, messages 32)…
//
// # Reading
//
// [Open] reads only the index section. A bag without one, or with a torn one, is
// scanned. It returns a [bagstore.Recording], whose source is a [File]. A File decodes chunks as a
// whole; messages are parts of their memory. Large messages of uncompressed chunks are read by themselves.
//
// # Writing
//
// [Create] returns a [Writer], which is for one goroutine. [Writer.Write] returns when the caller may reuse the bytes;
// [Writer.Lend] returns earlier, and reports later that they are free. The file is a valid, indexed bag at every
// instant (see [Writer.Checkpoint]). A kill loses at most the last 100 ms: the tail file next to the bag
// (docs/internals/decisions/0009) has what is not yet in the bag, and [Open] reads it. Create never replaces a file
// unless Options.Overwrite is set.
//
// # Whole files
//
// [File.Check] and [Recover] implement the commands of these names. An [Output] is a bag made from other recordings.
//
// # Hostile files
//
// Nothing in a file is trusted: lengths are bounded by the size of the file,
// and a [bagstore.FormatError] has the path, the offset and the kind of the record.
package rosbag
