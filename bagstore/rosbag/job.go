package rosbag

import (
	"cmp"
	"encoding/binary"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/disk"
)

// job is a chunk that is filled or on its way to the file.
type job struct {
	buf     []byte // the content, or what comes before body
	entries []bagstore.Entry
	conns   []*bagstore.Connection // described first in this chunk
	asked   int                    // calls of checkpointIfDue

	plainSize, packedSize int // bytes of messages that needn't be compressed, and of the others

	// body, if not nil, is written from where it is and borrowed until done is called: the largest part of the last
	// message, or all that is stored of the chunk that this is a copy of.
	body   []byte
	done   func()
	after  []byte               // the parts of the last message after body
	size   int                  // of the last message
	copied *bagstore.WholeChunk // nil: the chunk isn't a copy

	compressed []byte        // buf compressed; valid when ready is closed
	err        error         // of the compression
	ready      chan struct{} // closed after compression; nil without
	raw        bool          // it is written uncompressed, although it was to be compressed
}

// plain reports whether the chunk isn't to be compressed.
func (j *job) plain() bool { return j.plainSize > j.packedSize }

// most bounds what the chunk takes in the file with its index, also if compression makes it larger.
func (j *job) most() int64 {
	n := int64(len(j.buf) + len(j.body))
	return n + n/8 + 1024 + 128*int64(len(j.entries))
}

// lend adds the data of the last message, whose largest part is borrowed. The others are copied.
func (j *job) lend(size int, parts [][]byte, done func()) {
	e := j.entries[len(j.entries)-1]
	j.buf = appendMessage(j.buf, e.Conn, e.Time, 0, size)
	at := 0
	for i, p := range parts {
		if len(p) > len(j.body) {
			at, j.body = i, p
		}
	}
	for i, p := range parts {
		switch {
		case i < at:
			j.buf = append(j.buf, p...)
		case i > at:
			j.after = append(j.after, p...)
		}
	}
	if j.body == nil { // there is no data
		done()
		return
	}
	j.size, j.done = size, done
}

// copyOf makes the chunk a copy of a stored one.
func (j *job) copyOf(c *bagstore.WholeChunk) {
	j.entries = append(j.entries, c.Entries...)
	j.copied, j.body, j.done = c, c.Memory.Bytes(), c.Memory.Retain().Release
}

// layOut appends to head the record of the chunk up to its body, and returns both, for a position in a file with a
// grain. kind and stored are those of a chunk without a borrowed body.
func (j *job) layOut(head []byte, pos, grain int64, kind bagstore.Compression, stored []byte) (_, body []byte) {
	switch {
	case j.copied != nil:
		return j.layOutCopy(head, pos, grain)
	case j.body != nil:
		return j.layOutLent(head, pos, grain), j.body
	}
	return appendChunkHeader(head, kind, 0, len(j.buf), len(stored)), stored
}

// layOutLent lays out a chunk whose last message is lent. If there is a grain, a spare field in the message's header
// aligns the body to it.
func (j *job) layOutLent(b []byte, pos, grain int64) []byte {
	e := j.entries[len(j.entries)-1]
	headLen := len(appendMessage(b, 0, 0, 0, 0)) - len(b)
	chunkLen := len(appendChunkHeader(b, bagstore.None, 0, 0, 0)) - len(b)
	pad := padTo(grain, pos+int64(chunkLen+len(j.buf)))
	total := int(e.Ref) + headLen + pad + j.size
	b = appendChunkHeader(b, bagstore.None, 0, total, total)
	b = append(b, j.buf[:e.Ref]...)
	b = appendMessage(b, e.Conn, e.Time, pad, j.size)
	return append(b, j.buf[int(e.Ref)+headLen:]...)
}

// layOutCopy puts the header of a copied chunk into b, with the bytes up to the first page boundary
// in their memory if the rest can be written from there. It returns the rest.
func (j *job) layOutCopy(b []byte, pos, grain int64) (_, body []byte) {
	l, head := &j.copied.Layout, 0
	with := func(pad int) []byte { return appendChunkHeader(b, l.Compression, pad, int(l.Size), len(j.body)) }
	out := with(0)
	if grain > 1 && j.copied.Memory.Borrowed() && len(j.body) >= 2*disk.LendLeast {
		// Data read past the page cache is aligned in memory as in the file.
		head = int(-l.DataPos & (grain - 1))
		if pad := padTo(grain, pos+int64(len(out)-len(b)+head)); pad > 0 {
			out = with(pad)
		}
	}
	return append(out, j.body[:head]...), j.body[head:]
}

// summarize sorts the entries, notes what they are in info, and appends their index records to b.
func (j *job) summarize(b []byte, info *bagstore.ChunkInfo) []byte {
	info.Start, info.End = j.entries[0].Time, j.entries[0].Time
	slices.SortStableFunc(j.entries, func(x, y bagstore.Entry) int {
		return cmp.Or(cmp.Compare(x.Conn, y.Conn), cmp.Compare(x.Time, y.Time))
	})
	for from := 0; from < len(j.entries); {
		to := from
		for to < len(j.entries) && j.entries[to].Conn == j.entries[from].Conn {
			to++
		}
		run := j.entries[from:to]
		info.Start, info.End = min(info.Start, run[0].Time), max(info.End, run[len(run)-1].Time)
		info.Counts = append(info.Counts, bagstore.ConnCount{ID: run[0].Conn, Count: uint32(len(run))})
		b = appendIndex(b, run[0].Conn, run)
		from = to
	}
	return b
}

// appendChunkHeader appends a chunk record without its data. If pad is not 0, a spare field makes the
// header pad bytes longer; pad must be at least minPad.
func appendChunkHeader(b []byte, kind bagstore.Compression, pad, size, stored int) []byte {
	b = bagrecord.AppendHeader(b, bagrecord.OpChunk, func(b []byte) []byte {
		b = bagrecord.AppendString(b, "compression", string(kind))
		if pad > 0 {
			b = bagrecord.AppendField(b, padField, make([]byte, pad-minPad)...)
		}
		return bagrecord.AppendU32(b, "size", uint32(size))
	})
	return binary.LittleEndian.AppendUint32(b, uint32(stored))
}

// appendMessage appends a message record without its data. If pad is not 0, a spare field
// makes the header pad bytes longer; pad must be at least minPad.
func appendMessage(b []byte, conn uint32, t bagstore.Time, pad, size int) []byte {
	b = bagrecord.AppendHeader(b, bagrecord.OpMessage, func(b []byte) []byte {
		b = bagrecord.AppendU32(b, "conn", conn)
		b = bagrecord.AppendTime(b, "time", int64(t))
		if pad > 0 {
			b = bagrecord.AppendField(b, padField, make([]byte, pad-minPad)...)
		}
		return b
	})
	return append(b, byte(size), byte(size>>8), byte(size>>16), byte(size>>24))
}

// padField is a spare header field that aligns a message's data; readers skip unknown
// fields. minPad is its length without a value.
const (
	padField = "pad"
	minPad   = 4 + len(padField) + 1
)

// padTo returns the length of the spare field that moves start to a multiple of the grain, 0 for none.
func padTo(grain, start int64) int {
	pad := int((grain - start%grain) % grain)
	if pad > 0 && pad < minPad {
		pad += int(grain)
	}
	return pad
}
