package bagstore

import (
	"encoding/binary"
	"math/bits"
)

// Rules of an LZ4 block: a match is at least 4 bytes long and at most 64 KiB
// back; the last 5 bytes are literals, and no match begins in the last 12.
const (
	lz4MinMatch     = 4
	lz4LastLiterals = 5
	lz4MatchLimit   = 12
	lz4HashBits     = 12 // 16 KiB of positions stay in the first cache
	lz4SkipShift    = 6  // after 64 misses every second byte is tried, and so on
)

// lz4Table holds the last position of each hash of 5 bytes in the block.
type lz4Table [1 << lz4HashBits]uint32

func lz4Hash(v uint64) uint32 { return uint32(v << 24 * 889523592379 >> (64 - lz4HashBits)) }

// lz4Compress compresses a block of at least 16 bytes into dst and returns the
// length, or 0 if it doesn't fit. Camera data are short runs with noise, so
// most time goes into short copies and finding matches: those are written out.
func lz4Compress(dst, src []byte, table *lz4Table) int {
	clear(table[:])
	limit := len(src) - lz4MatchLimit
	anchor, at, ref, d := 0, 1, 0, 0
	for {
		if at, ref = lz4Find(src, at, limit, table); at < 0 {
			break
		}
		for at > anchor && ref > 0 && src[at-1] == src[ref-1] {
			at, ref = at-1, ref-1
		}
		literals := at - anchor
		if d+literals+literals/255+16 > len(dst) {
			return 0
		}
		token := d
		d = lz4Literals(dst, d, src, anchor, literals)
		for {
			binary.LittleEndian.PutUint16(dst[d:], uint16(at-ref))
			d += 2
			n := lz4MatchLen(src, at+lz4MinMatch, ref+lz4MinMatch)
			if d+n/255+16 > len(dst) {
				return 0
			}
			at += lz4MinMatch + n
			if n < 15 {
				dst[token] |= byte(n)
			} else {
				dst[token] |= 15
				d = lz4PutLength(dst, d, n-15)
			}
			anchor = at
			if at > limit {
				break
			}
			table[lz4Hash(binary.LittleEndian.Uint64(src[at-2:]))] = uint32(at - 2)
			// A match often follows at once, without literals between.
			v := binary.LittleEndian.Uint64(src[at:])
			h := lz4Hash(v)
			ref = int(table[h])
			table[h] = uint32(at)
			if at-ref >= lz4Window || binary.LittleEndian.Uint32(src[ref:]) != uint32(v) {
				at++
				break
			}
			token = d
			dst[d] = 0
			d++
		}
	}
	return lz4Last(dst, d, src[anchor:])
}

// lz4Find goes to the next position at or behind at whose 4 bytes stand
// somewhere before, -1 if there is none up to the limit.
func lz4Find(src []byte, at, limit int, table *lz4Table) (int, int) {
	for tries := 1 << lz4SkipShift; at <= limit; tries++ {
		v := binary.LittleEndian.Uint64(src[at:])
		h := lz4Hash(v)
		ref := int(table[h])
		table[h] = uint32(at)
		if at-ref < lz4Window && binary.LittleEndian.Uint32(src[ref:]) == uint32(v) {
			return at, ref
		}
		at += tries >> lz4SkipShift
	}
	return -1, 0
}

// lz4MatchLen counts the bytes from at on that equal those from ref on.
func lz4MatchLen(src []byte, at, ref int) int {
	n, end := 0, len(src)-lz4LastLiterals-at
	for n+8 <= end {
		if x := binary.LittleEndian.Uint64(src[at+n:]) ^ binary.LittleEndian.Uint64(src[ref+n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		n += 8
	}
	for n < end && src[at+n] == src[ref+n] {
		n++
	}
	return max(n, 0)
}

// lz4Literals writes a token with n literals from src[at:] and returns where
// the next byte goes.
func lz4Literals(dst []byte, d int, src []byte, at, n int) int {
	token := d
	d++
	if n >= 15 {
		dst[token] = 15 << 4
		d = lz4PutLength(dst, d, n-15)
	} else {
		dst[token] = byte(n << 4)
	}
	if n <= 16 && at+16 <= len(src) && d+16 <= len(dst) {
		// Two words instead of a call; what is too much is overwritten.
		binary.LittleEndian.PutUint64(dst[d:], binary.LittleEndian.Uint64(src[at:]))
		binary.LittleEndian.PutUint64(dst[d+8:], binary.LittleEndian.Uint64(src[at+8:]))
	} else {
		copy(dst[d:], src[at:at+n])
	}
	return d + n
}

func lz4PutLength(dst []byte, d, n int) int {
	for ; n >= 255; n -= 255 {
		dst[d] = 255
		d++
	}
	dst[d] = byte(n)
	return d + 1
}

// lz4Last ends a block with the literals that are left.
func lz4Last(dst []byte, d int, rest []byte) int {
	if d+len(rest)+len(rest)/255+2 > len(dst) {
		return 0
	}
	return lz4Literals(dst, d, rest, 0, len(rest))
}
