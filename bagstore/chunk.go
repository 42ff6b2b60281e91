package bagstore

import (
	"encoding/binary"
	"fmt"
)

// Compression of a chunk.
type Compression string

// The compressions of rosbag. Wire constants.
const (
	None Compression = "none"
	BZ2  Compression = "bz2"
	LZ4  Compression = "lz4"
)

// ConnCount is the number of messages that a chunk has of a connection.
type ConnCount struct {
	ID    uint32
	Count uint32
}

// ChunkInfo is what the index section knows of a chunk.
type ChunkInfo struct {
	Pos        int64 // of the chunk record
	Start, End Time  // of the earliest and latest message inside
	Counts     []ConnCount
}

// Messages is the number of messages in the chunk.
func (c *ChunkInfo) Messages() uint64 {
	n := uint64(0)
	for _, k := range c.Counts {
		n += uint64(k.Count)
	}
	return n
}

// entry is one message of a chunk's index.
type entry struct {
	time   Time
	offset uint32 // of the message record in the uncompressed chunk
	conn   uint32
}

// ChunkHeader says how a chunk is stored.
type ChunkHeader struct {
	Compression Compression
	DataPos     int64 // in the file
	Stored      int64 // bytes in the file
	Size        int64 // bytes uncompressed
}

// end is the first byte after the chunk's data, where its index records start.
func (h ChunkHeader) end() int64 { return h.DataPos + h.Stored }

// parseChunk checks a chunk's record header.
func parseChunk(r *record) (ChunkHeader, error) {
	if err := r.need(hasCompression | hasSize); err != nil {
		return ChunkHeader{}, err
	}
	c := ChunkHeader{Compression: Compression(r.compression), DataPos: r.dataPos, Stored: r.dataLen, Size: int64(r.size)}
	switch c.Compression {
	case None, BZ2, LZ4:
		return c, nil
	}
	return c, fmt.Errorf("unknown compression %q", r.compression)
}

// parseChunkInfo reads a chunk info record.
func parseChunkInfo(h *header, data []byte) (ChunkInfo, error) {
	if err := h.need(hasVer | hasChunkPos | hasStart | hasEnd | hasCount); err != nil {
		return ChunkInfo{}, err
	}
	if h.ver != 1 {
		return ChunkInfo{}, fmt.Errorf("unknown chunk info version %d", h.ver)
	}
	if uint64(h.count)*8 > uint64(len(data)) {
		return ChunkInfo{}, cut(int64(h.count)*8, int64(len(data)))
	}
	c := ChunkInfo{Pos: int64(h.chunkPos), Start: h.start, End: h.end, Counts: make([]ConnCount, h.count)}
	for i := range c.Counts {
		c.Counts[i] = ConnCount{binary.LittleEndian.Uint32(data[8*i:]), binary.LittleEndian.Uint32(data[8*i+4:])}
	}
	return c, nil
}

func appendChunkInfo(b []byte, c *ChunkInfo) []byte {
	b = appendHeader(b, opChunkInfo, func(b []byte) []byte {
		b = appendU64(b, "chunk_pos", uint64(c.Pos))
		b = appendU32(b, "count", uint32(len(c.Counts)))
		b = appendTime(b, "end_time", c.End)
		b = appendTime(b, "start_time", c.Start)
		return appendU32(b, "ver", 1)
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(8*len(c.Counts)))
	for _, k := range c.Counts {
		b = binary.LittleEndian.AppendUint32(b, k.ID)
		b = binary.LittleEndian.AppendUint32(b, k.Count)
	}
	return b
}

// parseIndex appends the entries of an index record.
func parseIndex(h *header, data []byte, to []entry) ([]entry, error) {
	if err := h.need(hasVer | hasConn | hasCount); err != nil {
		return to, err
	}
	if h.ver != 1 {
		return to, fmt.Errorf("unknown index version %d", h.ver)
	}
	if uint64(h.count)*12 > uint64(len(data)) {
		return to, cut(int64(h.count)*12, int64(len(data)))
	}
	for i := range int(h.count) {
		e := data[12*i : 12*i+12]
		to = append(to, entry{readTime(e), binary.LittleEndian.Uint32(e[8:]), h.conn})
	}
	return to, nil
}

// appendIndex writes one index record for entries of one connection.
func appendIndex(b []byte, conn uint32, entries []entry) []byte {
	b = appendHeader(b, opIndex, func(b []byte) []byte {
		b = appendU32(b, "conn", conn)
		b = appendU32(b, "count", uint32(len(entries)))
		return appendU32(b, "ver", 1)
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(12*len(entries)))
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint32(b, e.time.Sec())
		b = binary.LittleEndian.AppendUint32(b, e.time.Nsec())
		b = binary.LittleEndian.AppendUint32(b, e.offset)
	}
	return b
}

// putLength fills in a length that was left open at byte at: all that was
// appended after it.
func putLength(b []byte, at int) {
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
}
