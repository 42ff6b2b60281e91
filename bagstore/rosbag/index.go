package rosbag

import (
	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
)

// Index reads the index records after a chunk, or walks it if they are incomplete.
func (cr *chunkReader) Index(block int, x *bagstore.Index, keep func(uint32) bool) ([]bagstore.Run, error) {
	c := &cr.b.chunks[block]
	if x.Layout.DataPos == 0 {
		head, err := cr.header(c)
		if err != nil {
			return nil, err
		}
		x.Layout, x.Records = head, cr.indexRecordsOf(c, head)
		x.Grew(len(x.Records) * bagstore.IndexRecordSize)
	}
	if list, ok := cr.indexRuns(x, keep); ok {
		return list, nil
	}
	entries, _, err := cr.walkContent(c, walker{bag: cr.b})
	if err != nil && !c.torn {
		return nil, cr.b.errorAt(c.Pos, "chunk", err)
	}
	kept := make(map[uint32]*bagstore.Connection)
	for _, conn := range cr.b.conns {
		if keep == nil || keep(conn.ID) {
			kept[conn.ID] = conn
		}
	}
	return bagstore.Runs(entries, kept), nil
}

// indexRecordsOf returns the index records after a chunk; nil if they are incomplete.
func (cr *chunkReader) indexRecordsOf(c *chunk, head bagstore.Layout) []bagstore.IndexRecord {
	if c.walk {
		return nil
	}
	var list []bagstore.IndexRecord
	found := uint64(0)
	err := cr.eachIndex(head, func(r *bagrecord.Record) error {
		found += uint64(r.Count)
		if conn := cr.b.byID[r.Conn]; conn != nil {
			list = append(list, bagstore.IndexRecord{Run: bagstore.Run{Conn: &conn.Connection},
				Pos: r.DataPos, Count: int(r.Count)})
		}
		return nil
	})
	if err != nil || found < c.Messages() {
		return nil
	}
	return list
}

// indexRuns returns the entries of the connections that keep accepts; ok: there is a valid index.
func (cr *chunkReader) indexRuns(x *bagstore.Index, keep func(uint32) bool) (list []bagstore.Run, ok bool) {
	if x.Records == nil {
		return nil, false
	}
	list = make([]bagstore.Run, 0, len(x.Records))
	for i := range x.Records {
		r := &x.Records[i]
		if keep != nil && !keep(r.Conn.ID) {
			continue
		}
		if r.Raw == nil {
			one := bagstore.Run{Conn: r.Conn, Raw: make([]byte, r.Count*bagstore.EntrySize)}
			if err := cr.w.Fill(one.Raw, r.Pos); err != nil || one.Valid(x.Layout.Size) != nil {
				x.Records = nil
				return nil, false
			}
			r.Run = one
			x.Grew(len(one.Raw))
		}
		list = append(list, r.Run)
	}
	return list, true
}
