package bagstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"rsros/bagstore/internal/record"
)

// FirstChunk is the offset at which a Writer begins its first record after the file header.
const FirstChunk = firstChunk

// FileHeader returns the version line and the file header of a complete bag by a Writer.
func FileHeader(indexPos int64, conns, chunks int) []byte { return fileHeader(indexPos, conns, chunks) }

// OpenFileHeader returns the file header of a bag whose Writer hasn't ended, with the token of the tail file
// that the header have names.
func OpenFileHeader(have []byte, indexPos int64, conns, chunks int) []byte {
	var r record.Record
	if record.Read(record.Memory(have), int64(len(magic20)), int64(len(have)), &r) != nil {
		return nil
	}
	return fileHeaderWithTail(indexPos, conns, chunks, r.Tail)
}

// Anatomy reads a bag's records by their offsets, without its index, for programs that verify
// what a Writer wrote. It is for one goroutine.
type Anatomy struct {
	b *Bag
	l *chunkReader
}

// NewAnatomy returns an Anatomy of size bytes of r, which the caller still owns.
func NewAnatomy(r io.ReaderAt, size int64) *Anatomy {
	b := newBag(r, size, "")
	b.version = "2.0"
	return &Anatomy{b: b, l: newChunkReader(b)}
}

// Pointed returns the index section that the file header names.
func (a *Anatomy) Pointed() (indexPos int64, conns, chunks int, err error) {
	var r record.Record
	if err = record.Read(a.l.w, int64(len(magic20)), a.b.size, &r); err == nil && r.Op != record.OpFileHeader {
		err = fmt.Errorf("found a %s record", record.OpName(r.Op))
	}
	return int64(r.IndexPos), int(r.ConnCount), int(r.ChunkCount), err
}

// Chunk returns the header of the chunk at pos, and an error if it isn't in the form that a Writer writes.
func (a *Anatomy) Chunk(pos int64) (ChunkHeader, error) {
	var r record.Record
	err := record.Read(a.l.w, pos, a.b.size, &r)
	if err == nil && r.Op != record.OpChunk {
		err = fmt.Errorf("found a %s record", record.OpName(r.Op))
	}
	if err != nil {
		return ChunkHeader{}, err
	}
	h, err := parseChunk(&r)
	if err != nil {
		return h, err
	}
	raw, err := a.l.w.At(pos, int(h.DataPos-pos))
	if err == nil && !bytes.Equal(raw, appendChunkHeader(nil, h.Compression, 0, int(h.Size), int(h.Stored))) {
		err = errForm
	}
	return h, err
}

var errForm = errors.New("the record isn't in the form that a recorder writes")

// ChunkHead returns the length of a chunk record's header, as a Writer writes it.
func ChunkHead(c Compression) int64 { return int64(len(appendChunkHeader(nil, c, 0, 0, 0))) }

// Item is a message or, without a time, a connection record in a chunk.
type Item struct {
	Conn *Connection // nil for a message
	ID   uint32      // of its connection
	Time Time
	Data func(do func([]byte)) error // passes a message's data, in parts
	at   uint32
}

// Walk calls do for what is in a chunk, in its order, and returns the offset in the uncompressed content
// at which the whole records end.
func (a *Anatomy) Walk(h ChunkHeader, do func(Item)) (int64, error) {
	w := walker{bag: a.b, onConnection: func(r *record.Record, data []byte) error {
		c, err := parseConnection(&r.Header, data)
		if err != nil {
			return err
		}
		want := appendConnection(nil, c)
		if !bytes.Equal(want[8+binary.LittleEndian.Uint32(want):], data) {
			return errForm
		}
		do(Item{Conn: c, ID: c.ID})
		return nil
	}, onMessage: func(src record.Source, r *record.Record, e entry) error {
		var err error
		pos, n := r.DataPos, r.DataLen
		do(Item{ID: e.conn, Time: e.time, at: e.offset, Data: func(do func([]byte)) error {
			for at := int64(0); at < n && err == nil; at += checkPiece {
				var b []byte
				if b, err = src.At(pos+at, int(min(checkPiece, n-at))); err == nil {
					do(b)
				}
			}
			return err
		}})
		return err
	}}
	_, end, err := a.l.walkContent(&chunk{head: h}, w)
	return end, err
}

// IndexEntry is an entry of an index record.
type IndexEntry struct {
	ID     uint32
	Time   Time
	Offset uint32 // in the uncompressed chunk
	At     int    // where it is in the index records, if Expected returned it
}

// Expected returns the index records that a Writer writes after a chunk, and their entries.
func (a *Anatomy) Expected(h ChunkHeader) (raw []byte, list []IndexEntry, err error) {
	var entries []entry
	_, err = a.Walk(h, func(i Item) {
		if i.Conn == nil {
			entries = append(entries, entry{i.Time, i.at, i.ID})
		}
	})
	if err != nil || len(entries) == 0 {
		return nil, nil, err
	}
	var c committer
	c.summarize(&job{entries: entries}, new(ChunkInfo))
	list = exported(entries)
	at := 0
	for i := range list {
		if i == 0 || list[i].ID != list[i-1].ID {
			at += len(appendIndex(nil, 0, nil))
		}
		list[i].At = at
		at += entrySize
	}
	return c.tail, list, nil
}

// ParseIndexEntry parses an entry of an index record of a connection.
func ParseIndexEntry(id uint32, raw []byte) IndexEntry {
	return IndexEntry{ID: id, Time: Time(record.ReadTime(raw)), Offset: binary.LittleEndian.Uint32(raw[8:])}
}

// IndexEntrySize is the length of an index entry.
const IndexEntrySize = entrySize

func exported(entries []entry) []IndexEntry {
	list := make([]IndexEntry, len(entries))
	for i, e := range entries {
		list[i] = IndexEntry{ID: e.conn, Time: e.time, Offset: e.offset}
	}
	return list
}

// Index reads the index record at pos.
func (a *Anatomy) Index(pos, limit int64) (list []IndexEntry, next int64, err error) {
	r, data, err := a.record(pos, limit, record.OpIndex)
	if err != nil {
		return nil, pos, err
	}
	entries, err := parseIndex(&r.Header, data, nil)
	if err == nil && !a.raw(r, appendIndex(nil, r.Conn, entries)) {
		err = errForm
	}
	return exported(entries), r.Next(), err
}

// record reads a record of some kinds.
func (a *Anatomy) record(pos, limit int64, kinds ...byte) (*record.Record, []byte, error) {
	r := new(record.Record)
	if err := record.Read(a.l.w, pos, min(limit, a.b.size), r); err != nil {
		return r, nil, err
	}
	if !slices.Contains(kinds, r.Op) {
		return r, nil, fmt.Errorf("found a %s record", record.OpName(r.Op))
	}
	data, err := r.Data(a.l.w)
	return r, data, err
}

// raw reports whether a record's bytes are those.
func (a *Anatomy) raw(r *record.Record, want []byte) bool {
	have, err := a.l.w.At(r.Pos, int(r.Next()-r.Pos))
	return err == nil && bytes.Equal(have, want)
}

// Described reads the record of an index section at pos: a connection or a chunk info.
func (a *Anatomy) Described(pos, limit int64) (c *Connection, i *ChunkInfo, next int64, err error) {
	r, data, err := a.record(pos, limit, record.OpConnection, record.OpChunkInfo)
	if err != nil {
		return nil, nil, pos, err
	}
	next = r.Next()
	var want []byte
	if r.Op == record.OpConnection {
		if c, err = parseConnection(&r.Header, data); err == nil {
			want = appendConnection(nil, c)
		}
	} else {
		var info ChunkInfo
		if info, err = parseChunkInfo(&r.Header, data); err == nil {
			i, want = &info, appendChunkInfo(nil, &info)
		}
	}
	if err == nil && !a.raw(r, want) {
		err = errForm
	}
	return c, i, next, err
}

// Padding returns the end of the padding record of a Writer at pos, or pos if there is none.
func (a *Anatomy) Padding(pos, limit int64) int64 {
	r, data, err := a.record(pos, min(limit, pos+maxPadding), record.OpPadding)
	least := len(record.AppendHeader(nil, record.OpPadding, nil)) + 4
	if err != nil || r.DataPos-r.Pos != int64(least) || len(bytes.Trim(data, "\x00")) > 0 {
		return pos
	}
	return r.Next()
}

// maxPadding is more than the padding after an index section.
const maxPadding = 1 << 20

// NextChunk returns the offset of the first record that looks like a chunk's, from pos on, or -1.
func (a *Anatomy) NextChunk(pos int64) int64 {
	s := scanner{bag: a.b, l: a.l}
	return s.resync(pos)
}
