package bagstore

import (
	"fmt"
	"slices"
	"sync"

	"rsros/bagstore/internal/record"
)

// Found collects what reading finds besides messages that it can't read. It is safe for concurrent use;
// the zero value is empty.
type Found struct {
	mu    sync.Mutex
	notes Notes
}

// Add adds a note unless there is one about the place.
func (f *Found) Add(n Note) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.notes, func(m Note) bool { return m.Offset == n.Offset && m.Kind == n.Kind }) {
		f.notes.Add(n)
	}
}

// Notes returns the notes so far.
func (f *Found) Notes() []Note {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}

// Found returns the losses that reading has found so far besides messages that it couldn't read: chunks
// whose checksum is wrong, and topics that a chunk describes in another way than the index.
func (b *Bag) Found() []Note {
	if c, ok := b.content.(interface{ Found() []Note }); ok {
		return c.Found()
	}
	return b.found.Notes()
}

// descriptions are the chunks that have the first messages of a connection, and so its description.
type descriptions struct {
	once   sync.Once
	chunks map[int]*sync.Once
}

func (d *descriptions) of(b *Bag) map[int]*sync.Once {
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

// compareDescriptions compares what a chunk that messages are read from says of connections with the
// index.
func (b *Bag) compareDescriptions(n int, chunk record.Source, size int64) {
	if !b.indexed || b.version == "1.2" {
		return // there is no index, or the scan has compared them
	}
	once := b.descriptions.of(b)[n]
	if once == nil {
		return
	}
	once.Do(func() {
		w := walker{bag: b, onConnection: func(r *record.Record, data []byte) error {
			conn, err := parseConnection(&r.Header, data)
			if err == nil {
				if note, ok := b.contradiction(conn, r.Pos); ok && note.Severity == Loss {
					b.found.Add(note)
				}
			}
			return nil
		}}
		_, _, _ = w.walk(chunk, size) // damage is an error of the messages
	})
}

// contradiction is a note about a description that differs from the one in use.
func (b *Bag) contradiction(c *Connection, pos int64) (n Note, is bool) {
	d := b.byID[c.ID]
	if d == nil || d.Topic == c.Topic && d.Type == c.Type && d.MD5 == c.MD5 {
		return n, false
	}
	return Note{Offset: pos, Kind: "connection", Severity: c.differs(d),
		Text: fmt.Sprintf("connection %d is %s (%s) here and %s (%s) in the index, which counts", c.ID, c.Topic, c.Type, d.Topic, d.Type)}, true
}
