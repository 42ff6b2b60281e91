package rosbag

import (
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
)

// group12 is the number of bytes of a 1.2 bag that form a chunk.
const group12 = 1 << 20

// scan12 reads a version 1.2 bag, whose records name their topic instead of a connection. Groups of
// records become chunks.
func (b *File) scan12() {
	b.topics12 = make(map[string]uint32)
	b.indexed = true
	w := bagrecord.NewWindow(b.r, b.size)
	group := chunk{walk: true}
	var entries []bagstore.Entry
	flush := func(end int64) {
		if len(entries) > 0 {
			n := end - group.Pos
			group.head = bagstore.Layout{Compression: bagstore.None, DataPos: group.Pos, Stored: n, Size: n}
			group.Summarize(entries)
			b.chunks = append(b.chunks, group)
		}
		group, entries = chunk{ChunkInfo: bagstore.ChunkInfo{Pos: end}, walk: true}, entries[:0]
	}
	pos := int64(len(magic12))
	group.Pos = pos
	for pos < b.size {
		var r bagrecord.Record
		if err := bagrecord.Read(w, pos, b.size, &r); err != nil {
			b.notes.Addf(bagstore.Loss, pos, "record", "the last %d bytes are damaged: %v", b.size-pos, err)
			break
		}
		switch r.Op {
		case bagrecord.OpDefinition12:
			b.define12(&r)
		case bagrecord.OpMessage:
			if id, err := b.connection12(&r); err != nil {
				b.notes.Addf(bagstore.Loss, pos, "message", "%v", err)
			} else {
				entries = append(entries,
					bagstore.Entry{Time: bagstore.NewTime(r.Sec, r.Nsec), Ref: uint32(pos - group.Pos), Conn: id})
			}
		}
		pos = r.Next()
		if pos-group.Pos >= group12 {
			flush(pos)
		}
	}
	flush(pos)
}

func (b *File) define12(r *bagrecord.Record) {
	topic := string(r.Topic)
	if _, ok := b.topics12[topic]; ok || r.Need(bagrecord.HasTopic) != nil {
		return
	}
	b.add12(&connection{Connection: bagstore.Connection{Topic: topic, Type: string(r.Type), MD5: string(r.MD5),
		Definition: string(r.Definition)}})
}

func (b *File) add12(c *connection) uint32 {
	c.ID = uint32(len(b.conns))
	b.topics12[c.Topic] = c.ID
	b.byID[c.ID] = c
	b.conns = append(b.conns, &c.Connection)
	return c.ID
}

// connection12 returns a message's connection. Without a definition it takes that of another topic of the type.
func (b *File) connection12(r *bagrecord.Record) (uint32, error) {
	if err := r.Need(bagrecord.HasTopic | bagrecord.HasSec | bagrecord.HasNsec); err != nil {
		return 0, err
	}
	if id, ok := b.topics12[string(r.Topic)]; ok {
		if c := b.byID[id]; c.CallerID == "" {
			c.CallerID, c.Latching = string(r.CallerID), string(r.Latching) == "1"
		}
		return id, nil
	}
	for _, c := range b.conns {
		if c.Type == string(r.Type) {
			d := connection{Connection: *c}
			d.Topic = string(r.Topic)
			return b.add12(&d), nil
		}
	}
	return 0, fmt.Errorf("topic %q has no definition", r.Topic)
}
