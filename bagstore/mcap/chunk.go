package mcap

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sync"

	format "github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"rsros/bagstore"
)

// Limits of a chunk's content.
const (
	maxChunk   = 1 << 30 // unpacked
	cacheBytes = 64 << 20
	lz4Ratio   = 255     // the most that a byte of LZ4 says
	zstdRatio  = 1 << 15 // a block of 128 KiB takes at least 4 bytes
)

// The compressions of chunks. Wire constants.
const (
	compressLZ4  = bagstore.Compression("lz4")
	compressZstd = bagstore.Compression("zstd")
)

// chunkAt reads the head of a chunk record. A torn one ends with the file.
func (f *File) chunkAt(r record, torn bool) (block, error) {
	if torn {
		r.size = f.src.size - r.data
	}
	head := make([]byte, min(r.size, 64)) // more than any head that is valid
	if err := f.src.readFull(head, r.data); err != nil {
		return block{}, fmt.Errorf("chunk at byte %d: %w", r.pos, err)
	}
	in := fields{b: head, pos: r.pos}
	in.take(16) // times
	size, crc := in.u64(), in.u32()
	compression := in.text()
	stored := in.u64()
	if in.err != nil {
		return block{}, in.err
	}
	b := block{chunk: true, torn: torn, crc: crc, from: r.data + int64(len(head)-len(in.b)), to: r.end()}
	left := uint64(b.to - b.from)
	if stored > left && !torn || size > maxChunk {
		return block{}, fmt.Errorf("chunk at byte %d: %d bytes of records, unpacked %d, in %d bytes", r.pos, stored, size, left)
	}
	b.to = b.from + int64(min(stored, left))
	b.info = bagstore.Block{ChunkInfo: bagstore.ChunkInfo{Pos: r.pos}, Compression: bagstore.Compression(compression), Stored: b.to - b.from, Size: int64(size)}
	ratio := int64(1)
	switch b.info.Compression {
	case "":
		b.info.Compression = bagstore.None
		if !torn && b.info.Size != b.info.Stored {
			return block{}, fmt.Errorf("chunk at byte %d: %d bytes uncompressed in %d", r.pos, size, b.info.Stored)
		}
		b.info.Size = b.info.Stored
	case compressLZ4:
		ratio = lz4Ratio
	case compressZstd:
		ratio = zstdRatio
	default:
		return block{}, fmt.Errorf("chunk at byte %d: unknown compression %q", r.pos, compression)
	}
	most := ratio*b.info.Stored + 64
	if torn {
		b.info.Size = min(b.info.Size, most)
	}
	if b.info.Size > most {
		return block{}, fmt.Errorf("chunk at byte %d: %d bytes of %s claim to hold %d", r.pos, b.info.Stored, compression, size)
	}
	return b, nil
}

// records returns what holds a block's records, and their range in it. It reads and
// unpacks a compressed chunk.
func (f *File) records(b *block) (source, int64, int64, error) {
	if !b.chunk || b.info.Compression == bagstore.None {
		return f.src, b.from, b.to, nil
	}
	content, err := f.cache.get(b.from, func() ([]byte, error) { return f.unpack(b) })
	if err != nil {
		return source{}, 0, 0, fmt.Errorf("chunk at byte %d: %w", b.info.Pos, err)
	}
	return source{bytes.NewReader(content), int64(len(content))}, 0, int64(len(content)), nil
}

// unpack decompresses a chunk; of a torn or damaged one as much as there is.
func (f *File) unpack(b *block) ([]byte, error) {
	stored := io.NewSectionReader(f.src.r, b.from, b.to-b.from)
	r, err := f.cache.decoder(b.info.Compression, stored)
	if err != nil {
		return nil, err
	}
	content := make([]byte, b.info.Size)
	n, err := io.ReadFull(r, content)
	if b.torn || n > 0 {
		return content[:n], nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return content, err
}

// walk lists the messages of a block by its records, and takes in the schemas and
// channels among them.
func (f *File) walk(b *block) (list []bagstore.Entry, err error) {
	src, from, to, err := f.records(b)
	if err != nil {
		return nil, err
	}
	if b.chunk && !b.torn && to-from < b.info.Size {
		return nil, fmt.Errorf("chunk at byte %d: %d of %d bytes can be unpacked: %w", b.info.Pos, to-from, b.info.Size, io.ErrUnexpectedEOF)
	}
	for pos := from; pos < to; {
		r, err := src.record(pos, to)
		if err != nil {
			if b.torn {
				return list, nil
			}
			return nil, err
		}
		pos = r.end()
		if r.op == format.OpMessage {
			e, ok, err := f.entry(src, r, from)
			if err != nil {
				return nil, err
			}
			if ok {
				list = append(list, e)
			}
		} else if err := f.describe(src, r); err != nil && !b.torn {
			return nil, err
		}
	}
	return list, nil
}

// describe takes in a schema or a channel.
func (f *File) describe(src source, r record) error {
	if f.opened || r.op != format.OpSchema && r.op != format.OpChannel {
		return nil
	}
	in, err := src.content(r)
	if err != nil {
		return err
	}
	if r.op == format.OpSchema {
		return f.addSchema(in)
	}
	return f.addChannel(in)
}

// entry reads the head of a message. Messages of channels that nothing describes
// are passed over.
func (f *File) entry(src source, r record, base int64) (bagstore.Entry, bool, error) {
	head := make([]byte, messageHead)
	if r.size < messageHead || r.pos-base > math.MaxUint32 {
		return bagstore.Entry{}, false, fmt.Errorf("message at byte %d: %d bytes", r.pos, r.size)
	}
	if err := src.readFull(head, r.data); err != nil {
		return bagstore.Entry{}, false, err
	}
	topic, known := f.byID[binary.LittleEndian.Uint16(head)]
	return bagstore.Entry{Time: timeOf(binary.LittleEndian.Uint64(head[6:])), Conn: topic, Ref: uint32(r.pos - base)}, known, nil
}

// Read reads the data of a message.
func (f *File) Read(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	b := &f.blocks[n]
	src, from, to, err := f.records(b)
	if err != nil {
		return nil, err
	}
	r, err := src.record(from+int64(e.Ref), to)
	if err != nil {
		return nil, err
	}
	head := make([]byte, messageHead)
	if r.op != format.OpMessage || r.size < messageHead {
		return nil, fmt.Errorf("byte %d: found record %#x where a message was expected", r.pos, byte(r.op))
	}
	if err := src.readFull(head, r.data); err != nil {
		return nil, err
	}
	if topic, known := f.byID[binary.LittleEndian.Uint16(head)]; !known || topic != e.Conn {
		return nil, fmt.Errorf("message at byte %d: it is of another channel than the index says", r.pos)
	}
	size := int(r.size - messageHead)
	data := alloc(size)
	if cap(data) < size {
		data = make([]byte, 0, size)
	}
	data = data[:size]
	return data, src.readFull(data, r.data+messageHead)
}

// Check compares the chunks with their checksums.
func (f *File) Check(note func(bagstore.Note)) error {
	for i := range f.blocks {
		b := &f.blocks[i]
		if !b.chunk || b.crc == 0 || b.torn {
			continue
		}
		src, from, to, err := f.records(b)
		if err != nil {
			note(bagstore.Note{Offset: b.info.Pos, Kind: "chunk", Severity: bagstore.Loss, Text: err.Error()})
			continue
		}
		sum := crc32.NewIEEE()
		if _, err := io.Copy(sum, io.NewSectionReader(src.r, from, to-from)); err != nil {
			return err
		}
		if sum.Sum32() != b.crc {
			note(bagstore.Note{Offset: b.info.Pos, Kind: "chunk", Severity: bagstore.Loss, Text: "the content doesn't have the checksum of the chunk"})
		}
	}
	return nil
}

// cache keeps the content of the chunks that were used last, and the decoders, which are
// dear to make.
type cache struct {
	mu    sync.Mutex
	order []cached // most recent last
	bytes int
	lz4   *lz4.Reader
	zstd  *zstd.Decoder
}

// decoder returns what decompresses r. It is good until the next call; get's load may
// call it.
func (c *cache) decoder(kind bagstore.Compression, r io.Reader) (_ io.Reader, err error) {
	if kind == compressLZ4 {
		if c.lz4 == nil {
			c.lz4 = lz4.NewReader(nil)
		}
		c.lz4.Reset(r)
		return c.lz4, nil
	}
	if c.zstd == nil {
		// Without concurrency it starts no goroutines.
		if c.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20)); err != nil {
			return nil, err
		}
	}
	return c.zstd, c.zstd.Reset(r)
}

type cached struct {
	from    int64
	content []byte
}

// get returns a chunk's content, which must not be changed.
func (c *cache) get(from int64, load func() ([]byte, error)) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range c.order {
		if k.from == from {
			c.order = append(append(c.order[:i:i], c.order[i+1:]...), k)
			return k.content, nil
		}
	}
	content, err := load()
	if err != nil {
		return nil, err
	}
	c.order = append(c.order, cached{from, content})
	c.bytes += len(content)
	for c.bytes > cacheBytes && len(c.order) > 1 {
		c.bytes -= len(c.order[0].content)
		c.order = append([]cached(nil), c.order[1:]...)
	}
	return content, nil
}
