package mcap

import (
	"encoding/binary"
	"slices"

	format "github.com/foxglove/mcap/go/mcap"

	"rsros/bagstore"
)

// A message whose length is damaged and ends where another record begins looks whole, and hides the records
// between. They are looked for only where something says that there is such damage: a chunk without its
// checksum, or statistics that count more messages than were found.

// doubtChunk looks for messages inside others in the chunk that was added last, if its content isn't what was written.
func (f *File) doubtChunk() {
	if !f.distrust || len(f.blocks) == 0 {
		return
	}
	b := &f.blocks[len(f.blocks)-1]
	if !b.chunk || b.crc == 0 || b.torn || b.doubted {
		return
	}
	if sum, err := f.sum(b); err == nil && sum != b.crc {
		f.doubt(b)
	}
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
	k.doubted, k.info.Counts = true, nil
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
	f.count(&k, after)
	*b = k
}

// hiddenSteps bounds the records that are tried in one message.
const hiddenSteps = 1 << 20

// hidden returns where the first record inside a message begins, if records follow each other from there exactly
// to the message's end. By chance they don't: each has a length of 64 bits.
func (f *File) hidden(src source, r record) (at int64, ok bool) {
	steps := 0
	window := make([]byte, min(resyncWindow+recordHead, max(r.size, recordHead)))
	for pos := r.data + messageHead; pos+recordHead <= r.end(); pos += resyncWindow {
		b := window[:min(int64(len(window)), r.end()-pos)]
		if src.readFull(b, pos) != nil {
			return 0, false
		}
		for i := 0; i+recordHead <= len(b) && i < resyncWindow; i++ {
			at := pos + int64(i)
			op, size := format.OpCode(b[i]), binary.LittleEndian.Uint64(b[i+1:])
			if !likely(op, size) || size > uint64(r.end()-at-recordHead) {
				continue
			}
			if f.chained(src, at, r.end(), &steps) {
				return at, true
			}
			if steps > hiddenSteps {
				return 0, false
			}
		}
	}
	return 0, false
}

// chained reports whether records follow each other from one place exactly to another.
func (f *File) chained(src source, pos, to int64, steps *int) bool {
	for pos < to {
		if *steps++; *steps > hiddenSteps {
			return false
		}
		r, err := src.record(pos, to)
		if err != nil || !likely(r.op, uint64(r.size)) {
			return false
		}
		if r.op == format.OpMessage {
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
