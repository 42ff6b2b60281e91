package rosbag

import (
	"fmt"
	"sync"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
)

// descriptions are the chunks that have the first messages of a connection, and so its description.
type descriptions struct {
	once   sync.Once
	chunks map[int]*sync.Once
}

func (d *descriptions) of(b *File) map[int]*sync.Once {
	d.once.Do(func() {
		d.chunks = make(map[int]*sync.Once)
		seen := make(map[uint32]bool)
		for i := range b.chunks {
			for _, k := range b.chunks[i].Counts {
				if !seen[k.ID] {
					seen[k.ID], d.chunks[i] = true, new(sync.Once)
				}
			}
		}
	})
	return d.chunks
}

// compareDescriptions compares what a chunk that messages are read from says of connections with the index.
func (b *File) compareDescriptions(n int, chunk bagrecord.Source, size int64) {
	if !b.indexed || b.version == "1.2" {
		return // there is no index, or the scan has compared them
	}
	once := b.descriptions.of(b)[n]
	if once == nil {
		return
	}
	once.Do(func() {
		w := walker{bag: b, onConnection: func(r *bagrecord.Record, data []byte) error {
			conn, err := parseConnection(&r.Header, data)
			if err == nil {
				if note, ok := b.contradiction(conn, r.Pos); ok && note.Severity == bagstore.Loss {
					b.found.Add(note)
				}
			}
			return nil
		}}
		_, _, _ = w.walk(chunk, size) // damage is an error of the messages
	})
}

// contradiction is a note about a description that differs from the one in use.
func (b *File) contradiction(c *connection, pos int64) (n bagstore.Note, is bool) {
	d := b.byID[c.ID]
	if d == nil || d.Topic == c.Topic && d.Type == c.Type && d.MD5 == c.MD5 {
		return n, false
	}
	return bagstore.Note{Offset: pos, Kind: "connection", Severity: c.differs(d),
		Text: fmt.Sprintf("connection %d is %s (%s) here and %s (%s) in the index, which counts", c.ID, c.Topic,
			c.Type, d.Topic, d.Type)}, true
}
