package bagstore

import "rsros/bagstore/place"

// Source is an open recording in one file format: connections, and messages in blocks. It is also [Messages] or a
// [BlockSource]. Its methods are safe for concurrent use.
type Source interface {
	// Info describes the file, as it was found when it was opened.
	Info() Info
	// Connections returns the topics. Entries and counts refer to their IDs.
	Connections() []*Connection
	// Blocks returns all blocks, in the order of the file.
	Blocks() []Block
	// Extent returns the file that a block and its index are in, and their range, if it is at an address; nil if it is at
	// a path.
	Extent(block int) (in place.File, from, to int64)
	// Found lists the losses that reading has found so far besides messages that it couldn't read.
	Found() []Note
	Close() error
}

// BlockSource is a Source that reads blocks itself.
type BlockSource interface {
	Source
	// Reader returns a new reader of the blocks.
	Reader() Reader
}

// Reader reads the blocks of a Source. It is for one goroutine, but for Load.
type Reader interface {
	// Layout says how a block is stored.
	Layout(block int) (Layout, error)
	// Index returns the messages of a block, of the connections that keep accepts; nil accepts all. It keeps what it
	// reads in x, which nobody else uses during the call.
	Index(block int, x *Index, keep func(conn uint32) bool) ([]Run, error)
	// Read reads a message by itself into to, which is empty and stays so after an error.
	Read(p *Position, to *Stored) error
	// Load decodes a block whose Access isn't Single, if urgent on all cores. It may be called from several goroutines.
	Load(block int, l Layout, urgent bool) (*Buffer, error)
	// Message finds a message in a decoded block.
	Message(in *Buffer, p *Position, to *Stored) error
}

// Verbatim is a Source whose blocks can be copied as they are stored.
type Verbatim interface {
	// Whole reports whether a block can be copied, if its content agrees with its index.
	Whole(block int, l Layout) bool
	// Verbatim reads a block, and compares its content with checksum and index.
	Verbatim(block int, l Layout) (*VerbatimBlock, error)
}

// Block is a part of a recording with at most a few thousand messages.
type Block struct {
	ChunkInfo   // Pos must increase from block to block, unless Continued
	Compression Compression
	Stored      int64 // bytes of messages in the file; 0: not known without reading
	Size        int64 // bytes of messages uncompressed; about as many if Stored isn't known
	Continued   bool  // it is one with the previous block, split so that each part can be loaded
	Packed      bool  // of Messages: they are read from the block as a whole
}

// PartBytes is the size at which formats end a block that nothing else ends.
const PartBytes = 1 << 20

// Layout says how a block is stored and read.
type Layout struct {
	Compression Compression
	Access      Access
	DataPos     int64 // in the file
	Stored      int64 // bytes in the file
	Size        int64 // bytes uncompressed
	Continued   bool  // as of the Block
	Packed      bool  // as of the Block
}

// Access says how the messages of a block are read.
type Access uint8

const (
	Single    Access = iota // each by itself
	Whole                   // the block is decoded by Load. An uncompressed message may also be read by itself
	Converted               // the selected messages are decoded by Load, each by itself
)

// Position is a message in a block.
type Position struct {
	Block  int
	Layout Layout
	Conn   uint32
	Ref    uint32
	Time   Time
	Mapped bool // map it instead of copying it, if it is large
}

// Entry is a message of a block.
type Entry struct {
	Time Time // 0 if it is before 1970, MaxTime if it is after 2106, MinTime if the file has 0
	Conn uint32
	Ref  uint32 // identifies the message in its block; increases in the order of the file
}
