package rosbag

import (
	"bytes"
	"cmp"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/lz4"
	"rsros/bagstore/internal/memory"
)

// chunkReader reads the chunks of one bag. It is for one goroutine.
type chunkReader struct {
	b      *File
	w      *bagrecord.Window
	urgent bool             // decompress on all cores
	stored *bagstore.Buffer // of the chunk to read, if not nil

	rec      bagrecord.Record // of the message read last
	compared int              // the chunk whose descriptions were compared last, from 1
	loaded   *bagstore.Buffer // the chunk of the message read last
	source   bagrecord.Source // of its bytes: made once, as it is on the heap
}

func newChunkReader(b *File) *chunkReader {
	return &chunkReader{b: b, w: bagrecord.NewWindow(b.r, b.size)}
}

// header returns the chunk's header, which it reads if a scan hasn't, and how its messages are read.
func (cr *chunkReader) header(c *chunk) (head bagstore.Layout, err error) {
	if head = c.head; head.DataPos == 0 {
		if head, err = cr.readHeader(c); err != nil {
			return head, err
		}
	}
	if head.Access = bagstore.Whole; direct(c, head) {
		head.Access = bagstore.Single
	}
	return head, nil
}

func (cr *chunkReader) readHeader(c *chunk) (bagstore.Layout, error) {
	var r bagrecord.Record
	err := bagrecord.Read(cr.w, c.Pos, cr.b.size, &r)
	if err == nil && r.Op != bagrecord.OpChunk {
		err = fmt.Errorf("found a %s record", bagrecord.OpName(r.Op))
	}
	if err != nil {
		return bagstore.Layout{}, cr.b.errorAt(c.Pos, "chunk", err)
	}
	head, err := parseChunk(&r)
	if err != nil {
		return head, cr.b.errorAt(c.Pos, "chunk", err)
	}
	if head.Compression == bagstore.None && head.Size != head.Stored {
		head.Size = head.Stored
	}
	return head, nil
}

// eachIndex calls do for the index records after a chunk, which are valid.
func (cr *chunkReader) eachIndex(head bagstore.Layout, do func(r *bagrecord.Record) error) error {
	var r bagrecord.Record
	for pos := dataEnd(head); pos < cr.b.size; pos = r.Next() {
		if err := bagrecord.Read(cr.w, pos, cr.b.size, &r); err != nil {
			return err
		}
		if r.Op != bagrecord.OpIndex {
			break
		}
		if err := checkIndex(&r); err != nil {
			return err
		}
		if err := do(&r); err != nil {
			return err
		}
	}
	return nil
}

// indexEntries reads the index records after a chunk.
func (cr *chunkReader) indexEntries(head bagstore.Layout) (to []bagstore.Entry, err error) {
	err = cr.eachIndex(head, func(r *bagrecord.Record) error {
		data, err := r.Data(cr.w)
		if err != nil {
			return err
		}
		for e := range slices.Chunk(data[:int(r.Count)*bagstore.EntrySize], bagstore.EntrySize) {
			to = append(to, bagstore.Entry{Time: bagstore.Time(bagrecord.ReadTime(e)),
				Ref: binary.LittleEndian.Uint32(e[8:]), Conn: r.Conn})
		}
		return nil
	})
	for _, e := range to {
		if err == nil && int64(e.Ref) >= head.Size {
			err = fmt.Errorf("index names offset %d in a chunk of %d bytes", e.Ref, head.Size)
		}
	}
	return to, err
}

// walkContent finds the messages of a chunk by reading it, with an error those before the damage.
func (cr *chunkReader) walkContent(c *chunk, w walker) ([]bagstore.Entry, int64, error) {
	head, err := cr.header(c)
	if err != nil {
		return nil, 0, err
	}
	w.expected = int(min(c.Messages(), memory.MaxMessages))
	if head.Compression == bagstore.None && cr.stored != nil {
		return w.walk(bagrecord.Memory(cr.stored.Bytes()), head.Size)
	}
	if head.Compression == bagstore.None {
		return w.walk(bagrecord.Section{Source: cr.w, Base: head.DataPos}, head.Size)
	}
	content, err := cr.unpack(head)
	if content == nil {
		return nil, 0, err
	}
	defer content.Release()
	w.most = memory.MaxMessages
	entries, end, walkErr := w.walk(content.Source(), content.Size())
	if last := len(entries) - 1; err != nil && head.Compression == bagstore.BZ2 && last >= 0 && end == content.Size() {
		entries, end = entries[:last], int64(entries[last].Ref) // bz2 yields bytes before it verifies them
	}
	return entries, end, cmp.Or(err, walkErr)
}

// plausible reports whether the stored bytes can decompress to the size in the header, so that a wrong size causes no
// allocation. bz2 may expand more than is plausible here; it is then decoded to a file.
func plausible(h bagstore.Layout) bool {
	ratio := int64(64)
	if h.Compression == bagstore.LZ4 {
		ratio = memory.LZ4Ratio
	}
	return h.Compression == bagstore.None || h.Size > 0 && h.Size <= ratio*h.Stored+64
}

// Limits of chunks that are decompressed in memory.
const (
	maxStored  = 64 << 20
	maxSalvage = 64 << 20 // of one whose header has no size
)

// unpack decompresses as much of a chunk as possible, whatever its header says. The caller
// releases the content, also after an error; nil if there is none.
func (cr *chunkReader) unpack(head bagstore.Layout) (c *memory.Content, err error) {
	switch {
	case plausible(head) && head.Size <= memory.MaxChunk:
		c, err = memory.NewContent(head.Size, head.Stored)
	case plausible(head) || head.Compression == bagstore.BZ2:
		c, err = memory.NewFile(cmp.Or(head.Size, memory.MaxChunk), head.Stored)
	default:
		c, err = memory.NewContent(min(memory.LZ4Ratio*head.Stored+64, maxSalvage), head.Stored)
	}
	if err != nil {
		return nil, err
	}
	if to, ok := c.Bytes(); ok && head.Stored <= maxStored {
		n, err := cr.decompress(head, to)
		c.Cut(int64(n))
		return c, err
	}
	stored := io.NewSectionReader(cr.b.r, head.DataPos, head.Stored)
	var in io.Reader = bzip2.NewReader(stored)
	if head.Compression == bagstore.LZ4 {
		in = lz4.NewReader(stored)
	}
	err = c.Fill(in)
	switch {
	case err == nil && head.Size > c.Size():
		err = fmt.Errorf("the chunk unpacks to %d bytes, at most %d are read", head.Size, c.Size())
	case head.Size == 0 && errors.Is(err, memory.ErrShort):
		err = nil // nothing says how much there is
	}
	return c, err
}

// decompress fills dst, of the size in the header. It returns the number of valid bytes.
func (cr *chunkReader) decompress(head bagstore.Layout, dst []byte) (n int, err error) {
	stored := cr.stored
	if stored == nil {
		if stored, err = cr.b.read(head.DataPos, int(head.Stored)); err != nil {
			return 0, err
		}
		defer stored.Release()
	}
	if head.Compression == bagstore.LZ4 {
		return lz4.Decode(dst, stored.Bytes(), cr.urgent)
	}
	n, err = io.ReadFull(bzip2.NewReader(bytes.NewReader(stored.Bytes())), dst)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = fmt.Errorf("bz2: %w", err)
	}
	return n, err
}
