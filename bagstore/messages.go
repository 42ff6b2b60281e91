package bagstore

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Messages is a Source of a format whose messages are read one by one. Its methods are safe for concurrent use.
type Messages interface {
	Source
	// Unpack decompresses a block, from which its messages are then read. The caller releases the
	// result; nil if they are read from the file.
	Unpack(block int) (*Buffer, error)
	// Entries returns the messages of a block in any order. Those of unknown connections are
	// ignored. In is the result of Unpack, or nil.
	Entries(in *Buffer, block int) ([]Entry, error)
	// Read appends a message to the result of alloc, an empty slice with room for n bytes. Another
	// call of alloc invalidates the previous result. In is the result of Unpack, or nil.
	Read(in *Buffer, block int, e Entry, alloc func(n int) []byte) ([]byte, error)
}

// converter is the Reader of Messages.
type converter struct {
	m    Messages
	r    *Recording
	keep func(uint32) bool // selects the connections to load; nil: all

	giants sync.Mutex   // held while loading a message larger than batchMost that the block's size doesn't tell of
	giant  atomic.Int64 // connection of the last such message, plus 1: they aren't loaded
}

// convertedBlock is a block that was loaded.
type convertedBlock struct {
	list  []convertedMessage // by ref
	bytes int64              // of the messages
	in    *Buffer            // for messages that aren't in the list; nil if they are read from the file
}

type convertedMessage struct {
	ref uint32
	Stored
	err error
}

func (b *convertedBlock) release() {
	for i := range b.list {
		b.list[i].Buffer.Release()
	}
	b.in.Release()
}

func (c *converter) Layout(block int) (Layout, error) {
	b := &c.r.blocks[block]
	return Layout{Compression: b.Compression, Access: Converted, DataPos: b.Pos, Stored: b.Stored, Size: b.Size,
		Continued: b.Continued, Packed: b.Packed}, nil
}

func (c *converter) Index(block int, x *Index, keep func(uint32) bool) ([]Run, error) {
	return c.index(nil, block, x, keep)
}

func (c *converter) index(in *Buffer, block int, x *Index, keep func(uint32) bool) ([]Run, error) {
	if x.Records == nil {
		entries, err := c.m.Entries(in, block)
		if err != nil {
			return nil, c.errorAt(block, "block", err)
		}
		x.Layout, _ = c.Layout(block)
		x.Records = []IndexRecord{}
		for _, run := range Runs(entries, c.r.byID) {
			x.Records = append(x.Records, IndexRecord{Run: run})
			x.Grew(IndexRecordSize + len(run.Raw))
		}
	}
	var list []Run
	for _, record := range x.Records {
		if keep == nil || keep(record.Conn.ID) {
			list = append(list, record.Run)
		}
	}
	return list, nil
}

// Load converts the messages of a block that the view selects. Of an urgent one, each is converted when it is visited.
func (c *converter) Load(block int, l Layout, urgent bool) (*Buffer, error) {
	in, err := c.m.Unpack(block)
	if err != nil {
		return nil, c.errorAt(block, "message", err)
	}
	b := &convertedBlock{in: in}
	if urgent || in.Size() > batchMost {
		return (&Buffer{block: b}).retain(), nil
	}
	x := c.r.indexes.get(block)
	x.mu.Lock()
	runs, err := c.index(in, block, x, c.keep)
	x.mu.Unlock()
	if err != nil {
		in.Release()
		return nil, err
	}
	var entries []Entry
	for _, run := range runs {
		for i := range run.len() {
			entries = append(entries, Entry{run.stored(i), run.Conn.ID, run.ref(i)})
		}
	}
	slices.SortFunc(entries, func(x, y Entry) int { return cmp.Compare(x.Ref, y.Ref) })
	if c.convert(b, block, l, entries); len(b.list) == len(entries) {
		in.Release()
		b.in = nil
	}
	return (&Buffer{block: b}).retain(), nil
}

// convert reads messages until they have batchMost bytes. One that is larger though the size of the block says
// nothing of it isn't kept, nor are others of its connection.
func (c *converter) convert(b *convertedBlock, block int, l Layout, entries []Entry) {
	b.list = make([]convertedMessage, 0, len(entries))
	for _, e := range entries {
		if b.bytes >= batchMost {
			return
		}
		if c.giant.Load() == int64(e.Conn)+1 {
			continue
		}
		giant := false
		m := convertedMessage{ref: e.Ref}
		m.err = c.read(b.in, block, e, &m.Stored, func(n int) {
			if !giant && n > batchMost && int64(n/2) > l.Size {
				c.giants.Lock()
				giant = true
			}
		})
		if giant {
			m.Buffer.Release()
			c.giant.Store(int64(e.Conn) + 1)
			c.giants.Unlock()
			continue
		}
		b.list = append(b.list, m)
		b.bytes += int64(len(m.Data))
	}
}

// Message returns a message of a loaded block.
func (c *converter) Message(in *Buffer, p *Position, to *Stored) error {
	b := in.block
	i, loaded := slices.BinarySearchFunc(b.list, p.Ref,
		func(m convertedMessage, ref uint32) int { return cmp.Compare(m.ref, ref) })
	if !loaded {
		return c.read(b.in, p.Block, Entry{p.Time, p.Conn, p.Ref}, to, nil)
	}
	m := &b.list[i]
	*to = m.Stored
	m.Buffer.Retain()
	return m.err
}

func (c *converter) Read(p *Position, to *Stored) error {
	return c.read(nil, p.Block, Entry{p.Time, p.Conn, p.Ref}, to, nil)
}

// read reads a message. It calls before, if not nil, when it is about to allocate n bytes.
func (c *converter) read(in *Buffer, block int, e Entry, to *Stored, before func(n int)) error {
	var buffer *Buffer
	data, err := c.m.Read(in, block, e, func(n int) []byte {
		buffer.Release()
		if before != nil {
			before(n)
		}
		buffer = NewBuffer(n)
		return buffer.bytes[:0]
	})
	if err != nil {
		buffer.Release()
		return c.errorAt(block, "message", err)
	}
	if buffer == nil {
		buffer = WrapBuffer(data)
	}
	buffer.bytes = data // wherever it is now
	to.Data, to.Buffer = data, buffer
	return nil
}

func (c *converter) errorAt(block int, kind string, err error) error {
	return &FormatError{Path: c.r.info.Path, Offset: c.r.blocks[block].Pos, Kind: kind, Err: err}
}
