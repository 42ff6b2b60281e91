package bagstore

import (
	"encoding/binary"
	"fmt"
	"slices"

	"rsros/bagstore/internal/record"
)

// Compression of a chunk.
type Compression string

// The compressions of rosbag. Wire constants.
const (
	None Compression = "none"
	BZ2  Compression = "bz2"
	LZ4  Compression = "lz4"
)

// ConnCount is the number of messages of one connection in a chunk.
type ConnCount struct {
	ID    uint32
	Count uint32
}

// ChunkInfo describes a chunk in the index section.
type ChunkInfo struct {
	Pos        int64 // of the chunk record
	Start, End Time  // of the earliest and latest message inside
	Counts     []ConnCount
}

// Messages returns the number of messages in the chunk.
func (c *ChunkInfo) Messages() uint64 {
	n := uint64(0)
	for _, k := range c.Counts {
		n += uint64(k.Count)
	}
	return n
}

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

func parseChunk(r *record.Record) (ChunkHeader, error) {
	if err := r.Need(record.HasCompression | record.HasSize); err != nil {
		return ChunkHeader{}, err
	}
	c := ChunkHeader{Compression: Compression(r.Compression), DataPos: r.DataPos, Stored: r.DataLen, Size: int64(r.Size)}
	switch c.Compression {
	case None, BZ2, LZ4:
		return c, nil
	}
	return c, fmt.Errorf("unknown compression %q", r.Compression)
}

func parseChunkInfo(h *record.Header, data []byte) (ChunkInfo, error) {
	if err := h.Need(record.HasVer | record.HasChunkPos | record.HasStart | record.HasEnd | record.HasCount); err != nil {
		return ChunkInfo{}, err
	}
	if h.Ver != 1 {
		return ChunkInfo{}, fmt.Errorf("unknown chunk info version %d", h.Ver)
	}
	if uint64(h.Count)*8 > uint64(len(data)) {
		return ChunkInfo{}, record.Cut(int64(h.Count)*8, int64(len(data)))
	}
	c := ChunkInfo{Pos: int64(h.ChunkPos), Start: Time(h.Start), End: Time(h.End), Counts: make([]ConnCount, h.Count)}
	for i := range c.Counts {
		c.Counts[i] = ConnCount{binary.LittleEndian.Uint32(data[8*i:]), binary.LittleEndian.Uint32(data[8*i+4:])}
	}
	return c, nil
}

func appendChunkInfo(b []byte, c *ChunkInfo) []byte {
	b = record.AppendHeader(b, record.OpChunkInfo, func(b []byte) []byte {
		b = record.AppendU64(b, "chunk_pos", uint64(c.Pos))
		b = record.AppendU32(b, "count", uint32(len(c.Counts)))
		b = record.AppendTime(b, "end_time", int64(c.End))
		b = record.AppendTime(b, "start_time", int64(c.Start))
		return record.AppendU32(b, "ver", 1)
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(8*len(c.Counts)))
	for _, k := range c.Counts {
		b = binary.LittleEndian.AppendUint32(b, k.ID)
		b = binary.LittleEndian.AppendUint32(b, k.Count)
	}
	return b
}

func parseIndex(h *record.Header, data []byte, to []entry) ([]entry, error) {
	if err := h.Need(record.HasVer | record.HasConn | record.HasCount); err != nil {
		return to, err
	}
	if h.Ver != 1 {
		return to, fmt.Errorf("unknown index version %d", h.Ver)
	}
	if uint64(h.Count)*entrySize > uint64(len(data)) {
		return to, record.Cut(int64(h.Count)*entrySize, int64(len(data)))
	}
	for e := range slices.Chunk(data[:int(h.Count)*entrySize], entrySize) {
		to = append(to, entry{Time(record.ReadTime(e)), binary.LittleEndian.Uint32(e[8:]), h.Conn})
	}
	return to, nil
}

func appendIndex(b []byte, conn uint32, entries []entry) []byte {
	b = record.AppendHeader(b, record.OpIndex, func(b []byte) []byte {
		b = record.AppendU32(b, "conn", conn)
		b = record.AppendU32(b, "count", uint32(len(entries)))
		return record.AppendU32(b, "ver", 1)
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(entrySize*len(entries)))
	for _, e := range entries {
		b = appendEntry(b, e)
	}
	return b
}
