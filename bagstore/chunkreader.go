package bagstore

import (
	"bytes"
	"cmp"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"rsros/bagstore/internal/lz4"
	"rsros/bagstore/internal/record"
)

// chunkReader reads the chunks of one bag. It is for one goroutine.
type chunkReader struct {
	b      *Bag
	w      *record.Window
	urgent bool // decompress on all cores
}

func newChunkReader(b *Bag) *chunkReader { return &chunkReader{b: b, w: record.NewWindow(b.r, b.size)} }

// header returns the chunk's header, which it reads if a scan hasn't.
func (cr *chunkReader) header(c *chunk) (ChunkHeader, error) {
	if c.head.DataPos != 0 {
		return c.head, nil
	}
	var r record.Record
	err := record.Read(cr.w, c.Pos, cr.b.size, &r)
	if err == nil && r.Op != record.OpChunk {
		err = fmt.Errorf("found a %s record", record.OpName(r.Op))
	}
	if err != nil {
		return ChunkHeader{}, cr.b.errorAt(c.Pos, "chunk", err)
	}
	head, err := parseChunk(&r)
	if err != nil {
		return head, cr.b.errorAt(c.Pos, "chunk", err)
	}
	if head.Compression == None && head.Size != head.Stored {
		head.Size = head.Stored
	}
	return head, nil
}

// indexRecords reads the index records after a chunk and returns the offset of their end.
func (cr *chunkReader) indexRecords(head ChunkHeader) (to []entry, pos int64, err error) {
	for pos = head.end(); pos < cr.b.size; {
		var r record.Record
		if err := record.Read(cr.w, pos, cr.b.size, &r); err != nil {
			return to, pos, err
		}
		if r.Op != record.OpIndex {
			break
		}
		data, err := r.Data(cr.w)
		if err != nil {
			return to, pos, err
		}
		if to, err = parseIndex(&r.Header, data, to); err != nil {
			return to, pos, err
		}
		pos = r.Next()
	}
	for _, e := range to {
		if int64(e.offset) >= head.Size {
			return to, pos, fmt.Errorf("index names offset %d in a chunk of %d bytes", e.offset, head.Size)
		}
	}
	return to, pos, nil
}

// walkContent finds the messages of a chunk by reading it, with an error those before the damage.
func (cr *chunkReader) walkContent(c *chunk, w walker) ([]entry, int64, error) {
	head, err := cr.header(c)
	if err != nil {
		return nil, 0, err
	}
	if head.Compression == None {
		return w.walk(record.Section{Source: cr.w, Base: head.DataPos}, head.Size)
	}
	if head.Compression == BZ2 && !head.plausible() && head.Size > 0 {
		return walkStream(record.NewStream(cr.bz2(head)), head.Size, w)
	}
	content, err := cr.salvage(head)
	entries, end, walkErr := w.walk(record.Memory(content), int64(len(content)))
	return entries, end, cmp.Or(err, walkErr)
}

// walkStream is walk for a stream. The last message counts only if the end is undamaged.
func walkStream(s *record.Stream, size int64, w walker) ([]entry, int64, error) {
	entries, end, err := w.walk(s, size)
	if err != nil {
		return entries, end, err
	}
	if err = s.Finish(size); err != nil && len(entries) > 0 {
		last := len(entries) - 1
		return entries[:last], int64(entries[last].offset), err
	}
	return entries, end, err
}

// maxSalvage bounds the uncompressed size of a torn chunk whose header has no size.
const maxSalvage = 256 << 20

// plausible reports whether the stored bytes can decompress to the size in the header, so that a
// wrong size causes no allocation. bz2 that expands more is decoded as a stream.
func (h ChunkHeader) plausible() bool {
	ratio := int64(64)
	if h.Compression == LZ4 {
		ratio = 255
	}
	return h.Compression == None || h.Size > 0 && h.Size <= ratio*h.Stored+64
}

// salvage decompresses as much of a chunk as possible, whatever its header says.
func (cr *chunkReader) salvage(head ChunkHeader) ([]byte, error) {
	size := head.Size
	if !head.plausible() {
		if head.Compression == BZ2 {
			return cr.unpack(head)
		}
		size = min(255*head.Stored+64, maxSalvage)
	}
	if err := record.Fits(size); err != nil {
		return nil, err
	}
	dst := make([]byte, size)
	n, err := cr.decompress(head, dst)
	return dst[:n], err
}

func (cr *chunkReader) unpack(head ChunkHeader) ([]byte, error) {
	limit := int64(maxSalvage)
	if head.Size > 0 {
		limit = min(limit, head.Size)
	}
	var out bytes.Buffer
	_, err := io.Copy(&out, io.LimitReader(cr.bz2(head), limit))
	if err == nil && head.Size > maxSalvage {
		err = fmt.Errorf("the chunk unpacks to %d bytes, above %d, from %d", head.Size, maxSalvage, head.Stored)
	}
	return out.Bytes(), err
}

func (cr *chunkReader) bz2(head ChunkHeader) io.Reader {
	return bzip2.NewReader(io.NewSectionReader(cr.b.r, head.DataPos, head.Stored))
}

// decompress fills dst, of the size in the header. It returns the number of valid bytes.
func (cr *chunkReader) decompress(head ChunkHeader, dst []byte) (int, error) {
	if head.Compression == None {
		err := record.ReadFull(cr.b.r, dst, head.DataPos)
		if err != nil {
			dst = nil
		}
		return len(dst), err
	}
	if err := record.Fits(head.Stored); err != nil {
		return 0, err
	}
	stored, err := cr.b.read(&cr.b.pool, head.DataPos, int(head.Stored))
	if err != nil {
		return 0, err
	}
	defer stored.release()
	if head.Compression == LZ4 {
		return lz4.Decode(dst, stored.bytes, cr.urgent)
	}
	n, err := io.ReadFull(bzip2.NewReader(bytes.NewReader(stored.bytes)), dst)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = fmt.Errorf("bz2: %w", err)
	}
	return n, err
}
