package mcap

import (
	"encoding/binary"
	"slices"

	"rsros/bagstore"
)

// A message whose length is damaged and ends where another record begins looks whole, and hides the records
// between. They are looked for only where something says that there is such damage: a chunk without its
// checksum, or statistics that count more messages than were found.

// Limits of the search in a file. It ends after searchBytes bytes, and searchTimes the size of the blocks that it is in.
const (
	searchBytes = 64 << 20
	searchTimes = 4
	recordCost  = 64      // a record that is tried counts for as many bytes
	maxHides    = 1 << 16 // messages that others are found inside
)

// doubtChunk looks for messages inside others in a chunk, if its content isn't what was written.
func (f *File) doubtChunk(from int64) {
	b := f.added(from)
	if !f.distrust || b == nil || !b.chunk || b.crc == 0 || b.torn {
		return
	}
	if sum, err := f.sum(b); err == nil && sum != b.crc {
		f.doubt(b)
	}
}

// added returns the block that was added last if it begins at a place; nil: none that does was added.
func (f *File) added(from int64) *block {
	if n := len(f.blocks); n > 0 && f.blocks[n-1].from == from {
		return &f.blocks[n-1]
	}
	return nil
}

// doubtRanges looks for messages inside others outside of chunks, if fewer were found than the statistics count.
func (f *File) doubtRanges() {
	found := uint64(0)
	for i := range f.blocks {
		found += f.blocks[i].info.Messages()
	}
	if !f.distrust || found >= f.counted {
		return
	}
	for i := range f.blocks {
		if b := &f.blocks[i]; !b.chunk {
			f.doubt(b)
		}
	}
}

// doubt lists the messages of a block again, with those inside others.
func (f *File) doubt(b *block) {
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
	f.notes.Addf(bagstore.Loss, b.info.Pos, "messages", "%d messages whose length is wrong are left out; %d were found inside them", len(before)+hidden-len(after), hidden)
	k.info.Counts = nil
	f.count(&k, after)
	*b = k
}

// findHidden returns a block's hides, as far as the limits of the search allow.
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

// hidden returns where the first record inside a message begins, if records follow each other from there exactly
// to the message's end. By chance they don't: each has a length of 64 bits.
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

// chained reports whether records follow each other from one place exactly to another.
func (f *File) chained(src source, pos, to int64) bool {
	for pos < to {
		if f.search -= recordCost; f.search < 0 {
			return false
		}
		r, err := src.record(pos, to)
		if err != nil || !likely(r.op, uint64(r.size)) {
			return false
		}
		if r.op == opMessage {
			var channel [2]byte
			if src.readFull(channel[:], r.data) != nil {
				return false
			}
			if _, known := f.byID[binary.LittleEndian.Uint16(channel[:])]; !known {
				return false
			}
		}
		pos = r.end()
	}
	return true
}
