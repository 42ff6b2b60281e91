package lz4

import "encoding/binary"

// Encoder writes frames. It belongs to one goroutine; the zero value is ready.
type Encoder struct{ table hashTable }

// Append appends src to dst as one frame. Blocks that don't shrink are stored.
func (e *Encoder) Append(dst, src []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	dst = append(dst, writtenFlags, writtenBlocks, byte(xxh32([]byte{writtenFlags, writtenBlocks})>>8))
	for rest := src; len(rest) > 0; {
		n := min(len(rest), BlockSize)
		dst = e.appendBlock(dst, rest[:n])
		rest = rest[n:]
	}
	dst = binary.LittleEndian.AppendUint32(dst, 0) // end mark
	return binary.LittleEndian.AppendUint32(dst, xxh32(src))
}

func (e *Encoder) appendBlock(dst, src []byte) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	// Room for less than src: compression that doesn't help fails early.
	room, n := len(src)-1, 0
	if cap(dst)-len(dst) < len(src) {
		grown := make([]byte, len(dst), 2*cap(dst)+len(src)+8)
		copy(grown, dst)
		dst = grown
	}
	if len(src) > matchMargin {
		n = compressBlock(dst[len(dst):len(dst)+room:len(dst)+room], src, &e.table)
	}
	if n == 0 {
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(src))|storedBit)
		return append(dst, src...)
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(n))
	return dst[:len(dst)+n]
}
