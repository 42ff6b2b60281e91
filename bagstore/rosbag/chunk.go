package rosbag

import (
	"encoding/binary"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/internal/record"
)

// dataEnd is the first byte after the chunk's data, where its index records start.
func dataEnd(h bagstore.Layout) int64 { return h.DataPos + h.Stored }

func parseChunk(r *record.Record) (bagstore.Layout, error) {
	if err := r.Need(record.HasCompression | record.HasSize); err != nil {
		return bagstore.Layout{}, err
	}
	c := bagstore.Layout{Compression: bagstore.Compression(r.Compression), DataPos: r.DataPos, Stored: r.DataLen, Size: int64(r.Size)}
	switch c.Compression {
	case bagstore.None, bagstore.BZ2, bagstore.LZ4:
		return c, nil
	}
	return c, fmt.Errorf("unknown compression %q", r.Compression)
}

func parseChunkInfo(h *record.Header, data []byte) (bagstore.ChunkInfo, error) {
	if err := h.Need(record.HasVer | record.HasChunkPos | record.HasStart | record.HasEnd | record.HasCount); err != nil {
		return bagstore.ChunkInfo{}, err
	}
	if h.Ver != 1 {
		return bagstore.ChunkInfo{}, fmt.Errorf("unknown chunk info version %d", h.Ver)
	}
	if uint64(h.Count)*8 > uint64(len(data)) {
		return bagstore.ChunkInfo{}, record.Cut(int64(h.Count)*8, int64(len(data)))
	}
	c := bagstore.ChunkInfo{Pos: int64(h.ChunkPos), Start: bagstore.Time(h.Start), End: bagstore.Time(h.End), Counts: make([]bagstore.ConnCount, h.Count)}
	for i := range c.Counts {
		c.Counts[i] = bagstore.ConnCount{ID: binary.LittleEndian.Uint32(data[8*i:]), Count: binary.LittleEndian.Uint32(data[8*i+4:])}
	}
	return c, nil
}

func appendChunkInfo(b []byte, c *bagstore.ChunkInfo) []byte {
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

// checkIndex checks that an index record has the entries that it counts.
func checkIndex(r *record.Record) error {
	if err := r.Need(record.HasVer | record.HasConn | record.HasCount); err != nil {
		return err
	}
	if r.Ver != 1 {
		return fmt.Errorf("unknown index version %d", r.Ver)
	}
	if size := int64(r.Count) * bagstore.EntrySize; size > r.DataLen {
		return record.Cut(size, r.DataLen)
	}
	return nil
}

func appendIndex(b []byte, conn uint32, entries []bagstore.Entry) []byte {
	b = record.AppendHeader(b, record.OpIndex, func(b []byte) []byte {
		b = record.AppendU32(b, "conn", conn)
		b = record.AppendU32(b, "count", uint32(len(entries)))
		return record.AppendU32(b, "ver", 1)
	})
	b = binary.LittleEndian.AppendUint32(b, uint32(bagstore.EntrySize*len(entries)))
	for _, e := range entries {
		b = bagstore.AppendEntry(b, e)
	}
	return b
}
