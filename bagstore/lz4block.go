package bagstore

import (
	"math/bits"
	"unsafe"
)

// Rules of an LZ4 block: a match is at least 4 bytes long and at most 64 KiB
// back; the last 5 bytes are literals, and no match begins in the last 12 (16
// here, so that 16 bytes may be read wherever one is looked for).
const (
	lz4MinMatch     = 4
	lz4LastLiterals = 5
	lz4MatchLimit   = 16
	lz4HashBits     = 12 // 16 KiB of positions stay in the first cache
	lz4SkipShift    = 6  // after 64 misses every second byte is tried, and so on
	lz4Slack        = 32 // what a sequence may write besides its literals and lengths
)

// lz4Table holds the last position of each hash of 5 bytes in the block.
type lz4Table [1 << lz4HashBits]uint32

func lz4Hash(v uint64) uint32 { return uint32(v << 24 * 889523592379 >> (64 - lz4HashBits)) }

// bare is memory without bounds checks, which take a third of an encoder's
// time. No position in it is computed from the bytes that are compressed, so
// none of them can lead astray: what is read begins at or before the match
// limit, or ends before end; what is written is checked against the room once
// a sequence.
type bare struct{ p unsafe.Pointer }

func bareBytes(b []byte) bare { return bare{unsafe.Pointer(unsafe.SliceData(b))} }

func (m bare) get(i int) byte        { return *(*byte)(unsafe.Add(m.p, i)) }
func (m bare) get32(i int) uint32    { return *(*uint32)(unsafe.Add(m.p, i)) }
func (m bare) get64(i int) uint64    { return *(*uint64)(unsafe.Add(m.p, i)) }
func (m bare) put(i int, v byte)     { *(*byte)(unsafe.Add(m.p, i)) = v }
func (m bare) put16(i int, v uint16) { *(*uint16)(unsafe.Add(m.p, i)) = v }
func (m bare) copy16(i int, from bare, j int) {
	*(*[16]byte)(unsafe.Add(m.p, i)) = *(*[16]byte)(unsafe.Add(from.p, j))
}

// lz4Compress compresses a block of at least 16 bytes into dst and returns the
// length, or 0 if it doesn't fit. Camera data are short runs with noise, so
// most time goes into short copies and finding matches.
func lz4Compress(dst, src []byte, table *lz4Table) int {
	clear(table[:])
	in, out := bareBytes(src), bareBytes(dst)
	limit, end := len(src)-lz4MatchLimit, len(src)-lz4LastLiterals
	anchor, at, ref, d := 0, 1, 0, 0
	for {
		if at, ref = lz4Find(in, at, limit, table); at < 0 {
			break
		}
		for at > anchor && ref > 0 && in.get(at-1) == in.get(ref-1) {
			at, ref = at-1, ref-1
		}
		literals := at - anchor
		if d+literals+literals/255+lz4Slack > len(dst) {
			return 0
		}
		token, kind := d, byte(literals<<4)
		if literals < 15 {
			out.copy16(d+1, in, anchor) // more than literals; the rest is overwritten
			d += 1 + literals
		} else {
			kind = 15 << 4
			d = lz4PutLength(out, d+1, literals-15)
			d += copy(dst[d:], src[anchor:at])
		}
		for {
			out.put16(d, uint16(at-ref))
			d += 2
			n := lz4MatchLen(in, at+lz4MinMatch, ref+lz4MinMatch, end)
			at += lz4MinMatch + n
			if n < 15 {
				out.put(token, kind|byte(n))
			} else {
				if d+n/255+lz4Slack > len(dst) {
					return 0
				}
				out.put(token, kind|15)
				d = lz4PutLength(out, d, n-15)
			}
			anchor = at
			if at > limit {
				break
			}
			table[lz4Hash(in.get64(at-2))] = uint32(at - 2)
			// A match often follows at once, without literals between.
			v := in.get64(at)
			h := lz4Hash(v)
			ref = int(table[h])
			table[h] = uint32(at)
			if at-ref >= lz4Window || in.get32(ref) != uint32(v) {
				at++
				break
			}
			if d+lz4Slack > len(dst) {
				return 0
			}
			token, kind = d, 0
			d++
		}
	}
	return lz4Last(dst, d, src[anchor:])
}

// lz4Find goes to the next position at or behind at whose 4 bytes stand
// somewhere before, -1 if there is none up to the limit.
func lz4Find(in bare, at, limit int, table *lz4Table) (int, int) {
	for tries := 1 << lz4SkipShift; at <= limit; tries++ {
		v := in.get64(at)
		h := lz4Hash(v)
		ref := int(table[h])
		table[h] = uint32(at)
		if at-ref < lz4Window && in.get32(ref) == uint32(v) {
			return at, ref
		}
		at += tries >> lz4SkipShift
	}
	return -1, 0
}

// lz4MatchLen counts the bytes from at up to end that equal those from ref on.
func lz4MatchLen(in bare, at, ref, end int) int {
	from := at
	for at+8 <= end {
		if x := in.get64(at) ^ in.get64(ref); x != 0 {
			return at - from + bits.TrailingZeros64(x)>>3
		}
		at, ref = at+8, ref+8
	}
	for at < end && in.get(at) == in.get(ref) {
		at, ref = at+1, ref+1
	}
	return at - from
}

// lz4PutLength writes what is left of a length behind the 15 of its token.
func lz4PutLength(out bare, d, n int) int {
	for ; n >= 255; n -= 255 {
		out.put(d, 255)
		d++
	}
	out.put(d, byte(n))
	return d + 1
}

// lz4Last ends a block with the literals that are left.
func lz4Last(dst []byte, d int, rest []byte) int {
	n := len(rest)
	if d+n+n/255+2 > len(dst) {
		return 0
	}
	if n < 15 {
		dst[d] = byte(n << 4)
		d++
	} else {
		dst[d] = 15 << 4
		d = lz4PutLength(bareBytes(dst), d+1, n-15)
	}
	return d + copy(dst[d:], rest)
}
