package rosbag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/lz4"
	"rsros/bagstore/internal/memory"
)

// verbatim is a chunk to copy as it is stored.
type verbatim struct {
	b *File
	c *chunk
	l bagstore.Layout
	*bagstore.VerbatimBlock
}

// Whole reports whether a chunk can be copied.
func (b *File) Whole(block int, l bagstore.Layout) bool {
	c := &b.chunks[block]
	return b.version == "2.0" && !c.torn && plausible(l) &&
		!slices.ContainsFunc(c.Counts, func(k bagstore.ConnCount) bool {
			conn := b.byID[k.ID]
			return conn == nil || conn.garbled
		})
}

// Verbatim reads a chunk and compares it with its checksum and its chunk info.
func (b *File) Verbatim(block int, l bagstore.Layout) (_ *bagstore.VerbatimBlock, err error) {
	v := verbatim{b, &b.chunks[block], l, &bagstore.VerbatimBlock{}}
	if v.Memory, err = b.read(l.DataPos, int(l.Stored)); err != nil {
		return nil, err
	}
	if err := v.compare(); err != nil {
		v.Memory.Release()
		return nil, err
	}
	return v.VerbatimBlock, nil
}

func (v *verbatim) compare() (err error) {
	if v.l.Compression == bagstore.LZ4 && !lz4.Stock(v.Memory.Bytes()) {
		return errors.New("not a frame that stock readers read")
	}
	cr := newChunkReader(v.b)
	cr.stored = v.Memory
	v.Entries, _, err = cr.walkContent(v.c, walker{bag: v.b, onConnection: v.connection, onMessage: v.message})
	if err != nil {
		return err
	}
	found := chunk{}
	if len(v.Entries) > 0 {
		found.Summarize(v.Entries)
	}
	if !agree(&found.ChunkInfo, &v.c.ChunkInfo) {
		return errors.New("the chunk info is wrong")
	}
	return nil
}

// connection accepts a connection record that repeats what the output has.
func (v *verbatim) connection(r *bagrecord.Record, data []byte) error {
	conn, err := parseConnection(&r.Header, data)
	if err != nil {
		return err
	}
	used := slices.ContainsFunc(v.c.Counts, func(k bagstore.ConnCount) bool { return k.ID == conn.ID })
	if known := v.b.byID[conn.ID]; !used || !same(&conn.Connection, &known.Connection) {
		return fmt.Errorf("connection %d has no messages or differs from the index", conn.ID)
	}
	return nil
}

func (v *verbatim) message(_ bagrecord.Source, r *bagrecord.Record, _ bagstore.Entry) error {
	v.Data += r.DataLen
	if v.l.Compression == bagstore.None {
		return nil
	}
	return memory.Fits(r.DataLen, v.l.Stored)
}

// agree reports whether two chunk infos have the same times and counts.
func agree(c, d *bagstore.ChunkInfo) bool {
	return c.Start == d.Start && c.End == d.End && slices.Equal(sortedCounts(c), sortedCounts(d))
}

func sortedCounts(c *bagstore.ChunkInfo) []bagstore.ConnCount {
	return slices.SortedFunc(slices.Values(c.Counts), func(x, y bagstore.ConnCount) int { return cmp.Compare(x.ID, y.ID) })
}
