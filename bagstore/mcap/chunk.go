package mcap

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"rsros/bagstore"
	"rsros/bagstore/internal/memory"
)

// maxMessage bounds the data of a message, whose bytes ROS counts in 32 bits, or memory.
const maxMessage int64 = min(math.MaxUint32, math.MaxInt/2)

// chunkAt reads the head of a chunk record. A torn one ends with the file: its records may be whole up to there.
func (f *File) chunkAt(r record, torn bool) (block, error) {
	if torn {
		r.size = f.src.size - r.data
	}
	head := make([]byte, min(r.size, 64)) // more than any head that is valid: the name of a compression is short
	if err := f.src.readFull(head, r.data); err != nil {
		return block{}, fmt.Errorf("chunk at byte %d: %w", r.pos, err)
	}
	in := fieldsOf(head, r)
	in.Raw(16) // times
	size, crc := in.U64(), in.U32()
	compression := in.String()
	stored := in.U64()
	if in.err() != nil {
		return block{}, in.err()
	}
	b := block{chunk: true, torn: torn, crc: crc, from: r.data + int64(in.Pos()), to: r.end()}
	return b, b.setSizes(r.pos, compression, stored, size)
}

// setSizes sets the compression and the sizes of a chunk, unless they are impossible. Of a torn one, less is there than
// its head says.
func (b *block) setSizes(pos int64, compression string, stored, size uint64) error {
	left := uint64(b.to - b.from)
	if stored > left && !b.torn || size > memory.MaxChunk {
		return fmt.Errorf("chunk at byte %d: %d bytes of records, unpacked %d, in %d bytes", pos, stored, size, left)
	}
	b.to = b.from + int64(min(stored, left))
	b.info = bagstore.Block{ChunkInfo: bagstore.ChunkInfo{Pos: pos}, Compression: bagstore.Compression(compression),
		Stored: b.to - b.from, Size: int64(size)}
	ratio := int64(1) // a chunk that claims more than its bytes can hold is refused before its memory is allocated
	switch b.info.Compression {
	case "":
		b.info.Compression = bagstore.None
		if !b.torn && b.info.Size != b.info.Stored {
			return fmt.Errorf("chunk at byte %d: %d bytes uncompressed in %d", pos, size, b.info.Stored)
		}
		b.info.Size = b.info.Stored
	case bagstore.LZ4:
		ratio = memory.LZ4Ratio
	case bagstore.Zstd:
		ratio = memory.ZstdRatio
	default:
		return fmt.Errorf("chunk at byte %d: unknown compression %q", pos, compression)
	}
	most := ratio*b.info.Stored + 64 // the first bytes of a frame stand for nothing, so short ones have some leeway
	if b.torn {
		b.info.Size = min(b.info.Size, most)
	}
	if b.info.Size > most {
		return fmt.Errorf("chunk at byte %d: %d bytes of %s claim to hold %d", pos, b.info.Stored, compression, size)
	}
	return nil
}

// walk lists the messages of a block, and adds the schemas and channels in it. in is the block unpacked, or nil.
func (f *File) walk(in *bagstore.Buffer, b *block) (list []bagstore.Entry, err error) {
	src, from, to, done, err := f.records(in, b)
	if err != nil {
		return nil, err
	}
	defer done()
	// A stream that breaks off may be shorter than the head says, and still end between two records.
	if b.chunk && !b.torn && to-from < b.info.Size {
		return nil, fmt.Errorf("chunk at byte %d: %d of %d bytes can be unpacked: %w", b.info.Pos, to-from, b.info.Size,
			io.ErrUnexpectedEOF)
	}
	records := 0
	for pos := from; pos < to; {
		r, err := src.record(pos, to)
		// A small file could claim any number of records by compressing empty ones.
		if records++; err == nil && records > memory.MaxMessages && b.info.Compression != bagstore.None {
			err = fmt.Errorf("chunk at byte %d: %w", b.info.Pos, memory.ErrMessages)
		}
		if err != nil {
			if b.torn {
				return list, nil
			}
			return nil, err
		}
		pos = r.end()
		if r.op == opMessage {
			e, ok, err := f.entry(src, r, from)
			if err != nil && b.torn {
				return list, nil
			}
			if err != nil {
				return nil, fmt.Errorf("chunk at byte %d: %w", b.info.Pos, err)
			}
			if ok {
				list = append(list, e)
			} else if !f.opened { // later walks would count it again
				b.unnamed++
			}
		} else if err := f.describe(src, r); err != nil && !b.torn {
			return nil, err
		}
	}
	return list, nil
}

// describe adds a schema or a channel. Once the file is open, others read what they are, and nothing changes.
func (f *File) describe(src source, r record) error {
	if f.opened || r.op != opSchema && r.op != opChannel {
		return nil
	}
	in, err := src.content(r)
	if err != nil {
		return err
	}
	if r.op == opSchema {
		return f.addSchema(in)
	}
	return f.addChannel(in)
}

// messageHead reads what precedes a message's data. known is whether a channel describes its topic.
func (f *File) messageHead(src source, r record) (head []byte, topic uint32, known bool, err error) {
	head = make([]byte, messageHead)
	if err = src.readFull(head, r.data); err == nil {
		topic, known = f.byID[binary.LittleEndian.Uint16(head)]
	}
	return head, topic, known, err
}

// entry reads the head of a message. It skips messages of unknown channels. An Entry has 32 bits for where in the block
// the message is.
func (f *File) entry(src source, r record, base int64) (bagstore.Entry, bool, error) {
	if r.size < messageHead || r.pos-base > math.MaxUint32 {
		return bagstore.Entry{}, false, fmt.Errorf("message at byte %d: %d bytes", r.pos, r.size)
	}
	head, topic, known, err := f.messageHead(src, r)
	if err != nil {
		return bagstore.Entry{}, false, err
	}
	at := timeOf(binary.LittleEndian.Uint64(head[6:]))
	return bagstore.Entry{Time: at, Conn: topic, Ref: uint32(r.pos - base)}, known, nil
}

func (f *File) Read(in *bagstore.Buffer, n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	b := &f.blocks[n]
	// A message of an uncompressed chunk, also of one that is read as a whole, can be read by itself.
	src, from, to, done := f.src, b.from, b.to, func() {}
	unpacked := in != nil || b.info.Compression != bagstore.None
	if unpacked {
		var err error
		if src, from, to, done, err = f.records(in, b); err != nil {
			return nil, err
		}
	}
	defer done()
	r, err := src.record(from+int64(e.Ref), to)
	if err != nil {
		return nil, err
	}
	if r.op != opMessage || r.size < messageHead {
		return nil, fmt.Errorf("byte %d: found record %#x where a message was expected", r.pos, byte(r.op))
	}
	head, topic, known, err := f.messageHead(src, r)
	if err != nil {
		return nil, err
	}
	if !known || topic != e.Conn {
		return nil, fmt.Errorf("message at byte %d: it is of another channel than the index says", r.pos)
	}
	if err := b.fits(r.size - messageHead); err != nil {
		return nil, fmt.Errorf("message of %.100q at byte %d of the chunk at byte %d: %w", f.topics[e.Conn].Name,
			r.pos-from, b.info.Pos, err)
	}
	size := int(r.size - messageHead + f.head) // KeepHeads: with the bytes just before the data
	data := alloc(size)
	if cap(data) < size {
		data = make([]byte, 0, size)
	}
	data = data[:size]
	// unpack has compared what is unpacked with its checksum.
	if err = src.readFull(data, r.data+messageHead-f.head); err == nil && !unpacked {
		f.sumMessage(b, r, head, data[f.head:])
	}
	return data, err
}

// fits returns an error if a message of the block is too large to be read.
func (b *block) fits(size int64) error {
	if b.info.Compression != bagstore.None {
		return memory.Fits(size, b.info.Stored)
	}
	if size > maxMessage {
		return fmt.Errorf("%d bytes, at most %d are read", size, maxMessage)
	}
	return nil
}
