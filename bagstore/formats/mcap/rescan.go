package mcap

import (
	"encoding/binary"
	"slices"

	"rsros/bagstore"
)

// A message whose damaged length ends at another record looks whole, and hides the records between.
// They are searched if a chunk's checksum is wrong, or if the statistics count more messages than
// were found.

// Limits of the search in a file: searchBytes plus searchTimes the size of the blocks.
const (
	searchBytes = 64 << 20
	searchTimes = 4
	recordCost  = 64      // bytes that trying a record counts as
	maxHides    = 1 << 16 // messages with others inside
)

// rescanChunk searches a chunk with a wrong checksum for messages inside others.
func (f *File) rescanChunk(from int64) {
	b := f.added(from)
	if !f.distrust || b == nil || !b.chunk || b.crc == 0 || b.torn {
		return
	}
	if sum, err := f.sum(b); err == nil && sum != b.crc {
		f.rescan(b)
	}
}

// added returns the last block if it begins at from, else nil.
func (f *File) added(from int64) *block {
	if n := len(f.blocks); n > 0 && f.blocks[n-1].from == from {
		return &f.blocks[n-1]
	}
	return nil
}

// rescanRanges searches outside of chunks for messages inside others, if the statistics count more.
func (f *File) rescanRanges() {
	if !f.distrust || f.messages() >= f.counted {
		return
	}
	for i := range f.blocks {
		if b := &f.blocks[i]; !b.chunk {
			f.rescan(b)
		}
	}
}

// rescan lists the messages of a block again, including those inside others.
func (f *File) rescan(b *block) {
	before, err := f.walk(b)
	if err != nil {
		return
	}
	k := *b
	if k.hides = f.findHidden(b); len(k.hides) == 0 {
		return
	}
	after, err := f.walk(&k)
	if err != nil || len(after) < len(before) || slices.Equal(after, before) {
		return
	}
	hidden := 0
	for _, e := range after {
		if _, known := slices.BinarySearchFunc(before, e.Ref, func(e bagstore.Entry, ref uint32) int { return int(e.Ref) - int(ref) }); !known {
			hidden++
		}
	}
	f.notes.Addf(bagstore.Loss, b.info.Pos, "messages", "%d messages with a wrong length are left out; %d were found inside them", len(before)+hidden-len(after), hidden)
	k.info.Counts = nil
	f.count(&k, after)
	*b = k
}

// findHidden returns a block's hides within the limits of the search.
func (f *File) findHidden(b *block) map[int64]int64 {
	src, from, to, done, err := f.records(b)
	if err != nil {
		return nil
	}
	defer done()
	f.search += searchTimes * (to - from)
	hides := make(map[int64]int64)
	for pos := from; pos < to && f.search > 0 && f.hiding < maxHides; {
		r, err := src.record(pos, to)
		if err != nil {
			break
		}
		pos = r.end()
		if r.op != opMessage {
			continue
		}
		if at, is := f.hidden(src, r); is {
			f.hiding++
			hides[r.pos-from], pos = at-from, at
		}
	}
	return hides
}

// hidden returns the position of the first record inside a message from which records follow each
// other exactly to the message's end, which doesn't happen by chance.
func (f *File) hidden(src source, r record) (at int64, ok bool) {
	window := make([]byte, min(resyncWindow+recordHead, max(r.size, recordHead)))
	for pos := r.data + messageHead; pos+recordHead <= r.end(); pos += resyncWindow {
		b := window[:min(int64(len(window)), r.end()-pos)]
		if f.search -= int64(len(b)); f.search < 0 || src.readFull(b, pos) != nil {
			return 0, false
		}
		for i := 0; i+recordHead <= len(b) && i < resyncWindow; i++ {
			at := pos + int64(i)
			op, size := opcode(b[i]), binary.LittleEndian.Uint64(b[i+1:])
			if likely(op, size) && size <= uint64(r.end()-at-recordHead) && f.chained(src, at, r.end()) {
				return at, true
			}
		}
	}
	return 0, false
}

// chained reports whether records follow each other exactly from pos to to.
func (f *File) chained(src source, pos, to int64) bool {
	for pos < to {
		if f.search -= recordCost; f.search < 0 {
			return false
		}
		r, err := src.record(pos, to)
		if err != nil || !likely(r.op, uint64(r.size)) {
			return false
		}
		if r.op == opMessage && !f.knownChannel(src, r) {
			return false
		}
		pos = r.end()
	}
	return true
}
