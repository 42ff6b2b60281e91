// Package mcap reads and writes MCAP files. It reads those of any writer, with or without an index, including files
// that were cut off: a [File] is a [bagstore.Messages], and knows no message types.
//
//	magic | Header | (Chunk | Message Index …)… | Attachment, Metadata … | Data End | summary | Footer | magic
//
//	record           | opcode 8 | length 64 | content |          numbers are little-endian, a time is ns since 1970
//	text             | length 32 | bytes |
//	map              | length 32 | (text text)… |
//
//	Header        01 | profile text | library text |
//	Schema        03 | id 16 | name text | encoding text | definition text |
//	Channel       04 | id 16 | schema 16 | topic text | encoding text | metadata map |
//	Message       05 | channel 16 | sequence 32 | log time 64 | publish time 64 | data |
//	Chunk         06 | start 64 | end 64 | size 64 | CRC 32 | compression text | length 64 | records 03 to 05 |
//	Message Index 07 | channel 16 | length 32 | (log time 64, offset 64 in the uncompressed chunk)… |
//	summary          Schemas and Channels again, Chunk Indexes 08, Statistics 0b, and indexes of attachments, metadata
//	Data End      0f | CRC 32 of all before it |
//	Footer        02 | start of the summary 64 | of its offsets 64 | CRC 32 of the summary |
//
// With an index, opening reads the summary at the end and the message indexes of the chunks. If the index is missing or
// damaged, the file is scanned as far as it is whole. Chunks are the blocks; messages outside chunks form separate
// blocks.
//
// A chunk of which all messages are read is compared with its checksum; [File.Found] has the result.
//
// A [Writer] makes a file in one go, a [Live] one whose messages arrive while it is written. Records are read and
// written here, not by a library, whose parsers trust lengths.
package mcap
