package mcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"rsros/bagstore"
)

// chunkReaders is the number of goroutines that read chunk indexes, which are far apart: a disk
// answers several requests in little more time than one.
const chunkReaders = 16

type chunkIndex struct {
	start, end   uint64 // times of its messages
	at, length   uint64 // of the chunk's record in the file
	offsets      []byte // of the message indexes: a channel and where its index is, each
	indexes      uint64 // bytes of the message indexes after it
	compression  string
	stored, size uint64 // bytes of its records
}

func (f *File) chunkIndex(in *fields) (c chunkIndex, err error) {
	c.start, c.end = in.U64(), in.U64()
	c.at, c.length = in.U64(), in.U64()
	c.offsets = in.Bytes()
	c.indexes = in.U64()
	if in.err() != nil {
		return c, in.err()
	}
	if size := uint64(f.src.size); c.at > size || c.length > size-c.at || c.indexes > size-c.at-c.length {
		return c, fmt.Errorf("the summary puts a chunk of %d bytes at byte %d of %d", c.length, c.at, size)
	}
	c.compression, c.stored, c.size = in.String(), in.U64(), in.U64() // of no use if the record ends before
	return c, nil
}

// checkOverlap returns an error for chunks that overlap: a small file could claim a large one's memory.
func (f *File) checkOverlap(list []chunkIndex) error {
	left := uint64(f.src.size)
	for _, c := range list {
		n := c.length + c.indexes
		if n > left {
			return errors.New("the summary's chunks overlap")
		}
		left -= n
	}
	return nil
}

// addChunks adds the chunks in the summary with the counts of their message indexes.
func (f *File) addChunks(list []chunkIndex) error {
	if err := f.checkOverlap(list); err != nil {
		return err
	}
	type result struct {
		block   block
		indexed bool // the block has its counts
		err     error
	}
	var (
		readers sync.WaitGroup
		next    atomic.Int64
		blocks  = make([]result, len(list))
	)
	for range min(chunkReaders, len(list)) {
		readers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return
				}
				r := &blocks[i]
				if r.block, r.err = f.chunk(list[i]); r.err == nil && r.block.index > 0 {
					entries, err := f.indexed(&r.block)
					if r.indexed = err == nil; r.indexed && len(entries) > 0 {
						r.block.info.Summarize(entries)
					}
				}
			}
		})
	}
	readers.Wait()
	for i := range blocks {
		switch r := &blocks[i]; {
		case r.err != nil:
			return r.err
		case !r.indexed: // what describes its channels may be in it
			if err := f.addBlock(r.block); err != nil {
				return err
			}
		case len(r.block.info.Counts) > 0:
			f.blocks = append(f.blocks, r.block)
		}
	}
	return nil
}

// chunk reads the head of a chunk that the summary lists.
func (f *File) chunk(c chunkIndex) (block, error) {
	r, err := f.src.record(int64(c.at), f.src.size)
	if err != nil {
		return block{}, err
	}
	if r.op != opChunk || r.end() != int64(c.at+c.length) {
		return block{}, fmt.Errorf("the summary puts a chunk of %d bytes at byte %d, where there is none", c.length, c.at)
	}
	b, err := f.chunkAt(r, false)
	if err == nil && c.indexes > 0 {
		b.index, b.indexTo = r.end(), r.end()+int64(c.indexes)
	}
	return b, err
}

func (f *File) indexed(b *block) (list []bagstore.Entry, err error) {
	src, err := f.src.ahead(b.index, b.indexTo-b.index, maxIndexes)
	if err != nil {
		return nil, err
	}
	for pos := b.index; pos < b.indexTo; {
		r, err := src.record(pos, b.indexTo)
		if err != nil {
			return nil, err
		}
		pos = r.end()
		if r.op != opMessageIndex {
			return nil, fmt.Errorf("byte %d: found record %#x where a message index was expected", r.pos, byte(r.op))
		}
		in, err := src.content(r)
		if err != nil {
			return nil, err
		}
		topic, known := f.byID[in.U16()]
		raw := in.Bytes()
		if in.err() != nil {
			return nil, in.err()
		}
		if !known {
			return nil, fmt.Errorf("message index at byte %d: nothing describes its channel", r.pos)
		}
		for ; len(raw) >= 16; raw = raw[16:] {
			ref := binary.LittleEndian.Uint64(raw[8:])
			if ref >= uint64(b.info.Size) {
				return nil, fmt.Errorf("message index at byte %d: offset %d in a chunk of %d bytes", r.pos, ref, b.info.Size)
			}
			list = append(list, bagstore.Entry{Time: timeOf(binary.LittleEndian.Uint64(raw)), Conn: topic, Ref: uint32(ref)})
		}
	}
	refs := make([]uint32, len(list))
	for i, e := range list {
		refs[i] = e.Ref
	}
	slices.Sort(refs)
	if len(slices.Compact(refs)) < len(list) {
		return nil, fmt.Errorf("message indexes at byte %d: they name one message twice", b.index)
	}
	return list, nil
}
