package mcap

import (
	"encoding/binary"

	"rsros/bagstore"
)

// resyncWindow is the number of bytes read at once in search of a record.
const resyncWindow = 1 << 20

// resync finds the first whole record after pos that another one or the end follows.
func (f *File) resync(pos int64) (int64, bool) {
	window := make([]byte, min(resyncWindow+recordHead, f.src.size-pos))
	for pos++; pos < f.src.size; pos += resyncWindow {
		b := window[:min(int64(len(window)), f.src.size-pos)]
		if f.src.readFull(b, pos) != nil {
			return 0, false
		}
		for i := 0; i+recordHead <= len(b) && i < resyncWindow; i++ {
			op, size := opcode(b[i]), binary.LittleEndian.Uint64(b[i+1:])
			at := pos + int64(i)
			if !likely(op, size) || size > uint64(f.src.size-at-recordHead) {
				continue
			}
			if r := (record{op: op, pos: at, data: at + recordHead, size: int64(size)}); f.valid(r) && f.followed(r) {
				return at, true
			}
		}
	}
	return 0, false
}

// likely reports whether a record may have this many bytes of content.
func likely(op opcode, size uint64) bool {
	switch op {
	case opSchema, opChannel, opMetadata:
		return size >= 8 && size <= maxRecord
	case opMessage:
		return size >= messageHead
	case opChunk:
		return size >= chunkHead
	case opMessageIndex:
		return size >= messageIndexHead && (size-messageIndexHead)%messageIndexEntry == 0
	case opAttachment:
		return size >= attachmentHead
	case opDataEnd:
		return size == dataEndSize
	}
	return false
}

// valid checks the content of a possible record.
func (f *File) valid(r record) bool {
	switch r.op {
	case opMessage:
		_, _, known, err := f.messageHead(f.src, r)
		return len(f.byID) == 0 || known && err == nil
	case opChunk:
		b, err := f.chunkAt(r, false)
		return err == nil && (b.info.Compression != bagstore.None || b.to == r.end())
	}
	return true
}

func (f *File) followed(r record) bool {
	if r.op == opDataEnd || string(f.tail(r.end())) == magic {
		return true
	}
	next, err := f.src.record(r.end(), f.src.size)
	return err == nil && likely(next.op, uint64(next.size))
}
