package bagstore

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"rsros/bagstore/internal/record"
)

// indexRun is one connection's part of a chunk's index, ordered by time and offset, in the bytes of
// the file: seeking in a large chunk decodes only a few entries.
type indexRun struct {
	conn *Connection
	raw  []byte
}

const entrySize = 12

func (r indexRun) len() int            { return len(r.raw) / entrySize }
func (r indexRun) time(i int) Time     { return Time(record.ReadTime(r.raw[entrySize*i:])) }
func (r indexRun) offset(i int) uint32 { return binary.LittleEndian.Uint32(r.raw[entrySize*i+8:]) }

func (r indexRun) search(t Time) int {
	return sort.Search(r.len(), func(i int) bool { return r.time(i) >= t })
}

// valid checks that all offsets lie in a chunk of size bytes, and sorts unsorted entries.
func (r indexRun) valid(size int64) error {
	inOrder := true
	last, lastOffset := Time(0), uint32(0)
	for i := range r.len() {
		t, offset := r.time(i), r.offset(i)
		if int64(offset) >= size {
			return fmt.Errorf("index names offset %d in a chunk of %d bytes", offset, size)
		}
		inOrder = inOrder && (t > last || t == last && offset >= lastOffset)
		last, lastOffset = t, offset
	}
	if !inOrder {
		r.sort()
	}
	return nil
}

func (r indexRun) sort() {
	entries := make([]entry, r.len())
	for i := range entries {
		entries[i] = entry{r.time(i), r.offset(i), 0}
	}
	slices.SortFunc(entries, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.time, y.time), cmp.Compare(x.offset, y.offset))
	})
	r.raw = r.raw[:0]
	for _, e := range entries {
		r.raw = appendEntry(r.raw, e)
	}
}

func appendEntry(b []byte, e entry) []byte {
	b = binary.LittleEndian.AppendUint32(b, e.time.Sec())
	b = binary.LittleEndian.AppendUint32(b, e.time.Nsec())
	return binary.LittleEndian.AppendUint32(b, e.offset)
}

// runs returns a chunk's index for the connections that keep accepts, if necessary by walking it.
func (cr *chunkReader) runs(c *chunk, keep func(uint32) bool) ([]indexRun, ChunkHeader, error) {
	x := cr.b.indexes.get(c)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.head.DataPos == 0 {
		head, err := cr.header(c)
		if err != nil {
			return nil, head, err
		}
		x.head, x.records = head, cr.layout(c, head)
		cr.b.indexes.grew(x, len(x.records)*indexRecordSize)
	}
	if cr.b.content != nil && x.records == nil {
		if err := cr.contentIndex(x, c); err != nil {
			return nil, x.head, err
		}
	}
	if list, ok := cr.indexRuns(x, keep); ok {
		return list, x.head, nil
	}
	entries, _, err := cr.walkContent(c, walker{bag: cr.b})
	if err != nil && !c.torn {
		return nil, x.head, cr.b.errorAt(c.Pos, "chunk", err)
	}
	return cr.group(entries, keep), x.head, nil
}

// layout returns the index records after a chunk; nil if they are incomplete.
func (cr *chunkReader) layout(c *chunk, head ChunkHeader) []indexRecord {
	if c.walk || cr.b.content != nil {
		return nil
	}
	var list []indexRecord
	found := uint64(0)
	for pos := head.end(); pos < cr.b.size; {
		var r record.Record
		if record.Read(cr.w, pos, cr.b.size, &r) != nil {
			return nil
		}
		if r.Op != record.OpIndex {
			break
		}
		if r.Need(record.HasVer|record.HasConn|record.HasCount) != nil || r.Ver != 1 || int64(r.Count)*entrySize > r.DataLen {
			return nil
		}
		found += uint64(r.Count)
		pos = r.Next()
		if conn := cr.b.byID[r.Conn]; conn != nil {
			list = append(list, indexRecord{indexRun: indexRun{conn: conn}, pos: r.DataPos, count: int(r.Count)})
		}
	}
	if found < c.Messages() {
		return nil
	}
	return list
}

// indexRuns returns the entries of the connections that keep accepts; ok: there is a valid index.
func (cr *chunkReader) indexRuns(x *chunkIndex, keep func(uint32) bool) (list []indexRun, ok bool) {
	if x.records == nil {
		return nil, false
	}
	list = make([]indexRun, 0, len(x.records))
	for i := range x.records {
		r := &x.records[i]
		if keep != nil && !keep(r.conn.ID) {
			continue
		}
		if r.raw == nil {
			one := indexRun{r.conn, make([]byte, r.count*entrySize)}
			if err := cr.w.Fill(one.raw, r.pos); err != nil || one.valid(x.head.Size) != nil {
				x.records = nil
				return nil, false
			}
			r.indexRun = one
			cr.b.indexes.grew(x, len(one.raw))
		}
		list = append(list, r.indexRun)
	}
	return list, true
}

// group sorts entries and returns them as runs.
func (cr *chunkReader) group(entries []entry, keep func(uint32) bool) []indexRun {
	slices.SortFunc(entries, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.conn, y.conn), cmp.Compare(x.time, y.time), cmp.Compare(x.offset, y.offset))
	})
	var list []indexRun
	for _, e := range entries {
		conn := cr.b.byID[e.conn]
		if conn == nil || keep != nil && !keep(e.conn) {
			continue
		}
		if n := len(list); n == 0 || list[n-1].conn != conn {
			list = append(list, indexRun{conn: conn})
		}
		last := &list[len(list)-1]
		last.raw = appendEntry(last.raw, e)
	}
	return list
}
