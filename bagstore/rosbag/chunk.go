package rosbag

import (
	"encoding/binary"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
)

// dataEnd is the first byte after the chunk's data, where its index records start.
func dataEnd(h bagstore.Layout) int64 { return h.DataPos + h.Stored }

func parseChunk(r *bagrecord.Record) (bagstore.Layout, error) {
	if err := r.Need(bagrecord.HasCompression | bagrecord.HasSize); err != nil {
		return bagstore.Layout{}, err
	}
	c := bagstore.Layout{Compression: bagstore.Compression(r.Compression), DataPos: r.DataPos,
		Stored: r.DataLen, Size: int64(r.Size)}
	switch c.Compression {
	case bagstore.None, bagstore.BZ2, bagstore.LZ4:
		return c, nil
	}
	return c, fmt.Errorf("unknown compression %q", r.Compression)
}

func parseChunkInfo(h *bagrecord.Header, data []byte) (bagstore.ChunkInfo, error) {
	const fields = bagrecord.HasVer | bagrecord.HasChunkPos | bagrecord.HasStart | bagrecord.HasEnd | bagrecord.HasCount
	if err := h.Need(fields); err != nil {
		return bagstore.ChunkInfo{}, err
	}
	if h.Ver != 1 {
		return bagstore.ChunkInfo{}, fmt.Errorf("unknown chunk info version %d", h.Ver)
	}
	if uint64(h.Count)*8 > uint64(len(data)) {
		return bagstore.ChunkInfo{}, bagrecord.Cut(int64(h.Count)*8, int64(len(data)))
	}
	c := bagstore.ChunkInfo{Pos: int64(h.ChunkPos), Start: bagstore.Time(h.Start), End: bagstore.Time(h.End),
		Counts: make([]bagstore.ConnCount, h.Count)}
	for i := range c.Counts {
		c.Counts[i] = bagstore.ConnCount{ID: binary.LittleEndian.Uint32(data[8*i:]),
			Count: binary.LittleEndian.Uint32(data[8*i+4:])}
	}
	return c, nil
}

func appendChunkInfo(b []byte, c *bagstore.ChunkInfo) []byte {
	b = bagrecord.AppendHeader(b, bagrecord.OpChunkInfo, func(b []byte) []byte {
		b = bagrecord.AppendU64(b, "chunk_pos", uint64(c.Pos))
		b = bagrecord.AppendU32(b, "count", uint32(len(c.Counts)))
		b = bagrecord.AppendTime(b, "end_time", int64(c.End))
		b = bagrecord.AppendTime(b, "start_time", int64(c.Start))
		return bagrecord.AppendU32(b, "ver", 1)
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(8*len(c.Counts)))
	for _, k := range c.Counts {
		b = binary.LittleEndian.AppendUint32(b, k.ID)
		b = binary.LittleEndian.AppendUint32(b, k.Count)
	}
	return b
}

// checkIndex checks that an index record has the entries that it counts.
func checkIndex(r *bagrecord.Record) error {
	if err := r.Need(bagrecord.HasVer | bagrecord.HasConn | bagrecord.HasCount); err != nil {
		return err
	}
	if r.Ver != 1 {
		return fmt.Errorf("unknown index version %d", r.Ver)
	}
	if size := int64(r.Count) * bagstore.EntrySize; size > r.DataLen {
		return bagrecord.Cut(size, r.DataLen)
	}
	return nil
}

func appendIndex(b []byte, conn uint32, entries []bagstore.Entry) []byte {
	b = bagrecord.AppendHeader(b, bagrecord.OpIndex, func(b []byte) []byte {
		b = bagrecord.AppendU32(b, "conn", conn)
		b = bagrecord.AppendU32(b, "count", uint32(len(entries)))
		return bagrecord.AppendU32(b, "ver", 1)
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(bagstore.EntrySize*len(entries)))
	for _, e := range entries {
		b = bagstore.AppendEntry(b, e)
	}
	return b
}
