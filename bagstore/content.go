package bagstore

// Content is a recording in another file format that presents itself as the parts
// a Bag is made of: connections, and blocks of messages that take the place of chunks.
// Views, iterators and all that is built on them need no more. Messages have the form
// of ROS 1.
//
// Its methods may be called by many goroutines.
type Content interface {
	// Connections lists the topics. IDs are those of entries and counts.
	Connections() []*Connection
	// Blocks lists all messages, in the order of the file.
	Blocks() []Block
	// Entries lists the messages of a block in any order. Entries of connections that
	// aren't in Connections are ignored.
	Entries(block int) ([]Entry, error)
	// Read appends a message to what alloc returns, an empty slice that has room for
	// about n bytes. When alloc is called again, what it returned before is invalid.
	Read(block int, e Entry, alloc func(n int) []byte) ([]byte, error)
	Close() error
}

// Block is a part of a Content whose entries are listed at once, of some thousand messages
// at most.
type Block struct {
	ChunkInfo   // Pos says where the block is; it grows from block to block
	Compression Compression
	Stored      int64 // bytes of messages in the file
	Size        int64 // bytes of messages uncompressed
}

// Entry is a message of a block.
type Entry struct {
	Time Time
	Conn uint32
	Ref  uint32 // which message of the block it is; grows in the order of the file
}

// ContentInfo is what a Bag says of its content beside the messages.
type ContentInfo struct {
	Path    string
	Version string // of the format, such as "MCAP"
	Size    int64  // of the file or files
	Notes   []Note // what was unusual
}

// OpenContent returns a Bag that reads another format. It closes the content when it is
// closed.
func OpenContent(c Content, info ContentInfo) *Bag {
	b := newBag(nil, info.Size, info.Path)
	b.content, b.version, b.notes, b.indexed = c, info.Version, info.Notes, true
	b.conns = c.Connections()
	for _, conn := range b.conns {
		b.byID[conn.ID] = conn
	}
	for i, k := range c.Blocks() {
		b.chunks = append(b.chunks, chunk{
			ChunkInfo: k.ChunkInfo, block: i,
			head: ChunkHeader{Compression: k.Compression, DataPos: max(k.Pos, 1), Stored: k.Stored, Size: k.Size},
		})
	}
	return b
}

// contentIndex fills in the index of a block.
func (cr *chunkReader) contentIndex(x *chunkIndex, c *chunk) error {
	listed, err := cr.b.content.Entries(c.block)
	if err != nil {
		return cr.b.errorAt(c.Pos, "block", err)
	}
	entries := make([]entry, len(listed))
	for i, e := range listed {
		entries[i] = entry{e.Time, e.Ref, e.Conn}
	}
	x.records = []indexRecord{}
	for _, r := range cr.group(entries, nil) {
		x.records = append(x.records, indexRecord{indexRun: r, count: r.len()})
		cr.b.indexes.grew(x, indexRecordSize+len(r.raw))
	}
	return nil
}

// readContent reads the message at p. before is called before memory for n bytes of it is taken.
func (p *messagePos) readContent(b *Bag, pool *bufferPool, before func(n int)) ([]byte, *buffer, error) {
	var blk *buffer
	c := &b.chunks[p.chunk]
	data, err := b.content.Read(c.block, Entry{p.time, p.conn, uint32(p.offset)}, func(n int) []byte {
		if blk != nil {
			blk.release()
		}
		before(n)
		blk = pool.get(n)
		return blk.bytes[:0]
	})
	if blk == nil {
		blk = pool.wrap(data)
	}
	if err != nil {
		blk.release()
		return nil, nil, b.errorAt(c.Pos, "message", err)
	}
	blk.bytes = data
	return data, blk, nil
}

// Content is what a bag of OpenContent reads; nil for a bag file.
func (b *Bag) Content() Content { return b.content }
