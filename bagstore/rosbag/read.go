package rosbag

import (
	"cmp"
	"context"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/memory"
)

const (
	// directSize is the average message size from which messages of uncompressed chunks are read one by one.
	directSize = 32 << 10
	// wholeSize is the largest uncompressed chunk that is read whole.
	wholeSize = 8 << 20
	// mapLeast is the size from which mapping costs less than reading.
	mapLeast = 256 << 10
	// borrowLeast is the size from which copying costs more than borrowing. Smaller pieces
	// are also the ones that callers may keep for long.
	borrowLeast = 32 << 10
)

// direct reports whether the messages of a chunk are read one by one.
func direct(c *chunk, head bagstore.Layout) bool {
	return head.Compression == bagstore.None &&
		(head.Size > wholeSize || head.Size/int64(max(1, c.Messages())) >= directSize)
}

// Layout reads the header of a chunk.
func (cr *chunkReader) Layout(block int) (bagstore.Layout, error) {
	return cr.header(&cr.b.chunks[block])
}

// Read reads a message of an uncompressed chunk.
func (cr *chunkReader) Read(p *bagstore.Position, to *bagstore.Stored) error {
	b, r := cr.b, &cr.rec
	if cr.compared != p.Block+1 {
		cr.compared = p.Block + 1
		b.compareDescriptions(p.Block, bagrecord.Section{Source: cr.w, Base: p.Layout.DataPos}, p.Layout.Size)
	}
	pos := p.Layout.DataPos + int64(p.Ref)
	err := locate(cr.w, dataEnd(p.Layout), pos, p.Conn, r)
	if err == nil {
		err = bagrecord.Fits(r.DataLen)
	}
	if err != nil {
		return b.errorAt(pos, "message", err)
	}
	if p.Mapped && r.DataLen >= mapLeast && b.file != nil && b.inFile(r.Next()) {
		if data, pages := disk.Map(b.file, r.DataPos, int(r.DataLen)); data != nil {
			to.Data, to.Buffer = data, bagstore.MappedBuffer(data, pages)
			return nil
		}
	}
	blk, err := b.read(r.DataPos, int(r.DataLen))
	if err != nil {
		return b.errorAt(pos, "message", err)
	}
	to.Data, to.Buffer, to.At = blk.Bytes(), blk, r.DataPos
	return nil
}

// Load reads and decompresses a chunk.
func (cr *chunkReader) Load(block int, head bagstore.Layout, urgent bool) (blk *bagstore.Buffer, err error) {
	b := cr.b
	if head.Compression == bagstore.None {
		blk, err = b.read(head.DataPos, int(head.Size)) // at most wholeSize
	} else {
		var content *memory.Content
		l := chunkReader{b: b, urgent: urgent} // cr's window is another goroutine's
		if content, err = l.unpack(head); content == nil {
			return nil, b.errorAt(head.DataPos, "chunk", err)
		}
		if err != nil && b.chunks[block].torn {
			err = nil // the whole records count
		}
		blk = bagstore.ContentBuffer(content)
	}
	if err != nil {
		blk.Release()
		return nil, b.errorAt(head.DataPos, "chunk", err)
	}
	b.compareDescriptions(block, blk.Source(), blk.Size())
	return blk, nil
}

// Message finds a message in the memory of a chunk.
func (cr *chunkReader) Message(in *bagstore.Buffer, p *bagstore.Position, to *bagstore.Stored) error {
	if cr.source == nil || cr.loaded != in {
		cr.loaded, cr.source = in, in.Source()
	}
	r, content := &cr.rec, in.Content()
	err := locate(cr.source, in.Size(), int64(p.Ref), p.Conn, r)
	if err == nil && content != nil {
		err = content.Fits(r.DataLen)
	}
	if err == nil && in.Bytes() == nil {
		if err = unpackedMessage(content, r, to); err == nil {
			return nil
		}
	}
	if err != nil {
		return cr.b.errorAt(cr.b.chunks[p.Block].Pos, "chunk",
			fmt.Errorf("message of %.100q at its byte %d: %w", cr.b.topicOf(p.Conn), p.Ref, err))
	}
	if p.Layout.Compression == bagstore.None {
		to.At = p.Layout.DataPos + r.DataPos
	}
	to.Data, to.Buffer = in.Bytes()[r.DataPos:r.Next():r.Next()], in.Retain()
	return nil
}

// unpackedMessage reads a message of a chunk that was unpacked to a file.
func unpackedMessage(c *memory.Content, r *bagrecord.Record, to *bagstore.Stored) error {
	blk := bagstore.NewBuffer(int(r.DataLen))
	if err := bagrecord.ReadFull(c, blk.Bytes(), r.DataPos); err != nil {
		blk.Release()
		return err
	}
	to.Data, to.Buffer = blk.Bytes(), blk
	return nil
}

// locate reads the header of the message record at pos, or after the connection record there.
func locate(src bagrecord.Source, limit, pos int64, conn uint32, r *bagrecord.Record) error {
	for {
		if err := bagrecord.Read(src, pos, limit, r); err != nil {
			return err
		}
		if r.Op != bagrecord.OpConnection {
			break
		}
		pos = r.Next()
	}
	if r.Op != bagrecord.OpMessage {
		return fmt.Errorf("found a %s record", bagrecord.OpName(r.Op))
	}
	if r.Has&bagrecord.HasConn != 0 && r.Conn != conn {
		return fmt.Errorf("message is of connection %d, the index says %d", r.Conn, conn)
	}
	return nil
}

// read returns n bytes of the bag with one reference: borrowed or copied.
func (b *File) read(off int64, n int) (*bagstore.Buffer, error) {
	if blk := b.borrow(off, n); blk != nil {
		return blk, nil
	}
	blk := bagstore.NewBuffer(n)
	if err := bagrecord.ReadFull(b.r, blk.Bytes(), off); err != nil {
		blk.Release()
		return nil, err
	}
	return blk, nil
}

// borrow returns n bytes of the file in the memory of the read-ahead; nil if they must be
// copied. The tail of a killed recorder's bag isn't in the file and can't be borrowed.
func (b *File) borrow(off int64, n int) *bagstore.Buffer {
	a, ok := b.r.(*disk.Ahead)
	if !ok || n < borrowLeast {
		return nil
	}
	data, loan := a.Borrow(off, n)
	if data == nil {
		return nil
	}
	return bagstore.BorrowedBuffer(data, loan)
}

// inFile reports whether bytes that end at end are in the bag's file, not in its tail file.
func (b *File) inFile(end int64) bool {
	j, ok := b.r.(*joined)
	return end <= b.onDisk && !(ok && end > j.at)
}

// Sizes calls do for every message with the size of its data. It reads only record headers and compressed chunks;
// Progress counts chunks. It skips damage, and returns the first after the others' messages.
func (b *File) Sizes(ctx context.Context, p bagstore.Progress, do func(conn uint32, size int64)) error {
	l := newChunkReader(b)
	w := walker{bag: b, onMessage: func(_ bagrecord.Source, r *bagrecord.Record, e bagstore.Entry) error {
		do(e.Conn, r.DataLen)
		return nil
	}}
	var damage error
	for i := range b.chunks {
		if err := cmp.Or(ctx.Err(), b.failed()); err != nil {
			return err
		}
		p.Report(uint64(i), uint64(len(b.chunks)))
		if _, _, err := l.walkContent(&b.chunks[i], w); err != nil && !b.chunks[i].torn {
			damage = cmp.Or(damage, b.errorAt(b.chunks[i].Pos, "chunk", err))
		}
	}
	return cmp.Or(b.failed(), damage)
}
