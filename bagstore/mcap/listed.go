package mcap

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"rsros/bagstore"
)

// listChunks adds the chunks as the summary lists them, without reading anything of them: each would
// take a request to an address. The error is about a summary that says too little, or what can't be.
func (f *File) listChunks(list []chunkIndex) error {
	if err := f.checkOverlap(list); err != nil {
		return err
	}
	for _, c := range list {
		b, err := f.listed(c)
		if err != nil {
			return err
		}
		if len(b.info.Counts) > 0 {
			f.blocks = append(f.blocks, b)
		}
	}
	return nil
}

// listed returns a chunk as the summary lists it. How many messages a channel has follows from where
// its message index ends, as they follow each other.
func (f *File) listed(c chunkIndex) (block, error) {
	const entry = 2 + 8 // channel and offset
	head := uint64(recordHead + chunkHead + len(c.compression))
	if c.length < head || c.stored != c.length-head || len(c.offsets) == 0 || len(c.offsets)%entry != 0 {
		return block{}, fmt.Errorf("the summary doesn't say what the chunk at byte %d has", c.at)
	}
	end := c.at + c.length
	b := block{chunk: true, listed: true, from: int64(c.at + head), to: int64(end), index: int64(end),
		indexTo: int64(end + c.indexes)}
	if err := b.setSizes(int64(c.at), c.compression, c.stored, c.size); err != nil {
		return block{}, err
	}
	b.info.Start, b.info.End = timeOf(c.start), timeOf(c.end)
	channels := make(map[uint64]uint16)
	for raw := c.offsets; len(raw) > 0; raw = raw[entry:] {
		channels[binary.LittleEndian.Uint64(raw[2:])] = binary.LittleEndian.Uint16(raw)
	}
	offsets := slices.Sorted(maps.Keys(channels))
	inside := offsets[0] == end && offsets[len(offsets)-1] < end+c.indexes
	if !inside || len(offsets)*entry != len(c.offsets) || b.info.Start > b.info.End {
		return block{}, fmt.Errorf("the summary contradicts itself about the chunk at byte %d", c.at)
	}
	counts := make(map[uint32]uint32)
	for i, at := range offsets {
		next := end + c.indexes
		if i+1 < len(offsets) {
			next = offsets[i+1]
		}
		topic, known := f.byID[channels[at]]
		const head = recordHead + messageIndexHead
		bytes := int64(next - at - head) // of the index's entries
		n := bytes / messageIndexEntry
		if !known || next < at+head || bytes%messageIndexEntry != 0 || n > b.info.Size/messageHead {
			return block{}, fmt.Errorf("the summary puts a message index at byte %d, where there can't be one", at)
		}
		counts[topic] += uint32(n)
	}
	b.info.Counts = bagstore.SortedCounts(counts)
	return b, nil
}

// has reports whether a listed chunk has these messages.
func (b *block) has(list []bagstore.Entry) bool {
	in := &b.info
	if len(list) == 0 {
		return len(in.Counts) == 0
	}
	var found bagstore.ChunkInfo
	found.Summarize(list)
	return found.Start >= in.Start && found.End <= in.End && slices.Equal(found.Counts, in.Counts)
}

// storedSum returns the checksum of a chunk, 0 if it has none. The head of a listed chunk, which has
// it, must agree with the summary.
func (f *File) storedSum(b *block) (uint32, error) {
	if !b.listed {
		return b.crc, nil
	}
	r, err := f.src.record(b.info.Pos, f.src.size)
	if err != nil {
		return 0, err
	}
	var found block
	if r.op == opChunk {
		found, err = f.chunkAt(r, false)
	}
	same := found.from == b.from && found.to == b.to && found.info.Compression == b.info.Compression &&
		found.info.Size == b.info.Size
	if err == nil && !same {
		err = fmt.Errorf("chunk at byte %d: it isn't the one in the summary", r.pos)
	}
	return found.crc, err
}
