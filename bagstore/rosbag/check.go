package rosbag

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/memory"
)

type checker struct {
	b      *File
	l      *chunkReader
	rep    *bagstore.CheckReport
	last   bagstore.Time
	known  map[uint32]bool // connections described so far
	blind  bool            // an unreadable chunk may have described connections
	pos    int64           // of the current chunk
	stored int64           // its bytes in the file
	bad    uint64          // messages of the current chunk whose data can't be read
}

// Check reads the whole file. It compares the chunks with their checksums, the index
// records with the chunks, and the chunk infos and the file header with both. The report
// lists the damage. It returns an error only if ctx is done or the bag's address can't be read.
func (b *File) Check(ctx context.Context, o bagstore.CheckOptions) (*bagstore.CheckReport, error) {
	c := &checker{b: b, l: newChunkReader(b), known: make(map[uint32]bool),
		rep: &bagstore.CheckReport{Path: b.path, Version: b.version, Chunks: len(b.chunks), Notes: slices.Clone(b.notes)}}
	tell := messageCaller{do: o.Message}
	if o.Message != nil {
		tell.it = b.recording().View(bagstore.Query{}).Iterator()
		defer tell.it.Close()
	}
	for i := range b.chunks {
		if err := cmp.Or(ctx.Err(), b.failed()); err != nil {
			return c.rep, err
		}
		o.Progress.Report(uint64(b.chunks[i].Pos), uint64(b.size))
		if o.Before != nil {
			o.Before(b.chunks[i].Start)
		}
		tell.before(b.chunks[i].Start)
		c.chunk(&b.chunks[i])
	}
	tell.before(bagstore.MaxTime + 1)
	if err := b.failed(); err != nil {
		return c.rep, err
	}
	o.Progress.Report(uint64(b.size), uint64(b.size))
	if lost := b.recording().Crowded(); lost != nil {
		c.rep.Notes.Addf(bagstore.Loss, -1, "chunk", "%v", lost)
	}
	sortNotes(c.rep.Notes)
	c.rep.Conclude()
	return c.rep, nil
}

// messageCaller calls CheckOptions.Message while the messages' bytes are still in memory.
type messageCaller struct {
	it   *bagstore.Iterator // nil if CheckOptions.Message is unset
	do   func(bagstore.Message, error)
	held bool // the iterator's message is still to be told
}

// before tells of the messages before t.
func (l *messageCaller) before(t bagstore.Time) {
	for l.it != nil {
		if !l.held && !l.it.Next() && l.it.Err() == nil {
			return
		}
		if l.held = l.it.Message().Time >= t; l.held {
			return
		}
		l.do(l.it.Message(), l.it.Err())
	}
}

func (c *checker) chunk(k *chunk) {
	head, err := c.l.header(k)
	if err != nil {
		c.rep.Notes.Addf(bagstore.Loss, k.Pos, "chunk", "%v", err)
		return
	}
	c.pos, c.stored, c.bad = k.Pos, head.Stored, 0
	w := walker{bag: c.b, onConnection: c.connection, onMessage: c.message}
	content, end, err := c.l.walkContent(k, w)
	if err != nil && !k.torn {
		c.blind = true
		c.rep.Notes.Addf(bagstore.Loss, k.Pos, "chunk",
			"content is damaged after %d of %d bytes, %d of %d messages are whole: %v", end, head.Size,
			len(content), max(k.Messages(), uint64(len(content))), err)
	}
	c.rep.Messages += uint64(len(content)) - c.bad
	c.messages(k, content)
	if c.b.version == "1.2" || k.walk {
		return // there is no index, or the scan has noted its damage
	}
	if err == nil {
		c.index(k, head, content)
		c.info(k, content)
	}
}

// message reads a message's data from the file. In a compressed chunk they were read before.
func (c *checker) message(src bagrecord.Source, r *bagrecord.Record, e bagstore.Entry) error {
	in, ok := src.(bagrecord.Section)
	if !ok {
		if err := memory.Fits(r.DataLen, c.stored); err != nil {
			return c.unreadable(c.pos,
				fmt.Errorf("message of %.100q at byte %d of the chunk: %w", c.b.topicOf(e.Conn), r.Pos, err))
		}
		return nil
	}
	var piece int64
	for at, end := in.Base+r.DataPos, in.Base+r.Next(); at < end; at += piece {
		piece = min(checkPiece-at%checkPiece, end-at)
		if piece < borrowLeast { // too small to borrow: the window shares one copy among pieces
			if _, err := c.l.w.At(at, int(piece)); err != nil {
				return c.unreadable(in.Base+r.Pos, err)
			}
			continue
		}
		blk, err := c.b.read(at, int(piece))
		if err != nil {
			return c.unreadable(in.Base+r.Pos, err)
		}
		blk.Release()
	}
	return nil
}

// checkPiece is the number of bytes read at a time. Pieces begin at multiples of it in the
// file, so that each lies in one block of the read-ahead and needs no copy.
const checkPiece = 1 << 20

// unreadable notes a message that can't be read. It returns nil: the next ones may be fine.
func (c *checker) unreadable(pos int64, err error) error {
	c.bad++
	c.rep.Notes.Addf(bagstore.Loss, pos, "message", "%v", err)
	return nil
}

func (c *checker) connection(r *bagrecord.Record, data []byte) error {
	conn, err := parseConnection(&r.Header, data)
	if err != nil {
		return err
	}
	c.known[conn.ID] = true
	if d := c.b.byID[conn.ID]; d == nil {
		c.rep.Notes.Addf(bagstore.Repairable, r.Pos, "connection",
			"connection %d (%s) is not in the index section", conn.ID, conn.Topic)
	} else if note, differs := c.b.contradiction(conn, r.Pos); differs {
		c.rep.Notes.Add(note)
	}
	return nil
}

// messages checks the times, and that each connection was described before its messages.
func (c *checker) messages(k *chunk, content []bagstore.Entry) {
	for _, e := range content {
		if e.Time < c.last {
			c.rep.OutOfOrder++
		}
		c.last = e.Time
		if c.b.version != "1.2" && !c.known[e.Conn] && !c.blind {
			c.known[e.Conn] = true
			c.rep.Notes.Addf(bagstore.Harmless, k.Pos, "chunk",
				"connection %d is described only after its first message: the message is lost if the index is", e.Conn)
		}
		if e.Time == 0 {
			c.rep.Notes.Addf(bagstore.Harmless, k.Pos, "message", "a message has time 0: stock readers drop it")
		}
	}
}

func (c *checker) index(k *chunk, head bagstore.Layout, content []bagstore.Entry) {
	listed, err := c.l.indexEntries(head)
	if err != nil {
		c.rep.Notes.Addf(bagstore.Repairable, dataEnd(head), "index", "%v", err)
		return
	}
	order := func(x, y bagstore.Entry) int { return cmp.Compare(x.Ref, y.Ref) }
	slices.SortFunc(listed, order)
	if slices.Equal(listed, content) {
		return
	}
	wrong := 0
	for _, e := range listed {
		i, ok := slices.BinarySearchFunc(content, e, order)
		if !ok || content[i] != e {
			wrong++
		}
	}
	c.rep.Notes.Addf(bagstore.Repairable, dataEnd(head), "index",
		"index records of the chunk at %d name %d messages, %d of them wrong; the chunk holds %d",
		k.Pos, len(listed), wrong, len(content))
}

func (c *checker) info(k *chunk, content []bagstore.Entry) {
	if len(content) == 0 {
		return
	}
	found := chunk{}
	found.Summarize(content)
	if found.Start != k.Start || found.End != k.End {
		c.rep.Notes.Addf(bagstore.Repairable, k.Pos, "chunk info", "says times %d to %d, the chunk has %d to %d", k.Start,
			k.End, found.Start, found.End)
	}
	if !slices.Equal(sortedCounts(&found.ChunkInfo), sortedCounts(&k.ChunkInfo)) {
		c.rep.Notes.Addf(bagstore.Repairable, k.Pos, "chunk info",
			"says %d messages of %d connections, the chunk has %d of %d",
			k.Messages(), len(k.Counts), found.Messages(), len(found.Counts))
	}
}
