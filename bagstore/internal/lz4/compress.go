package lz4

import "math/bits"

// Rules of an LZ4 block: a match is at least 4 bytes long and at most 64 KiB
// back; the last 5 bytes are literals, and no match begins in the last 12 (16
// here, so that 16 bytes may be read wherever one is looked for).
const (
	minMatch     = 4
	lastLiterals = 5
	matchMargin  = 16
	hashBits     = 12 // 16 KiB of positions stay in the first cache
	skipShift    = 6  // after 64 misses every second byte is tried, and so on
	slack        = 32 // what a sequence may write besides its literals and lengths
)

// hashTable holds the last position of each hash of 5 bytes in the block.
type hashTable [1 << hashBits]uint32

func hash(v uint64) uint32 { return uint32(v << 24 * 889523592379 >> (64 - hashBits)) }

// compressBlock compresses a block of more than matchMargin bytes into dst and returns
// the length, or 0 if it doesn't fit. Camera data are short runs with noise, so
// most time goes into short copies and finding matches.
//
// The bounds of all accesses to memory, which checks none by itself:
//   - 0 <= anchor <= at and 0 <= ref < at: the table holds positions before at only, as a
//     match ends after the last one that was entered, also if it was extended backward.
//   - at <= limit, 16 bytes before the end of src, wherever a match begins; after a match
//     at <= end.
//   - d is checked against len(dst) once for the literals of a sequence and once for a
//     long match, with slack for the rest.
func compressBlock(dst, src []byte, table *hashTable) int {
	clear(table[:])
	in, out := memoryOf(src), memoryOf(dst)
	limit, end := len(src)-matchMargin, len(src)-lastLiterals
	anchor, at, ref, d := 0, 1, 0, 0
	for {
		if at, ref = findMatch(in, at, limit, table); at < 0 {
			break
		}
		for at > anchor && ref > 0 && in.get(at-1) == in.get(ref-1) { // 0 <= ref-1 < at-1 < limit
			at, ref = at-1, ref-1
		}
		literals := at - anchor
		if d+literals+literals/255+slack > len(dst) {
			return 0
		}
		token, kind := d, byte(literals<<4)
		if literals < 15 {
			// More than literals; the rest is overwritten. It ends at d+17, within
			// slack, and in src at anchor+16 <= limit+16.
			out.copy16(d+1, in, anchor)
			d += 1 + literals
		} else {
			kind = 15 << 4
			d = putLength(out, d+1, literals-15) // at most literals/255+1 bytes
			d += copy(dst[d:], src[anchor:at])   // d <= len(dst)-slack+2
		}
		for {
			// Here d <= len(dst)-slack+2, from above or from the end of this loop.
			out.put16(d, uint16(at-ref))
			d += 2
			n := matchLength(in, at+minMatch, ref+minMatch, end)
			at += minMatch + n
			if n < 15 {
				out.put(token, kind|byte(n)) // token < d
			} else {
				if d+n/255+slack > len(dst) {
					return 0
				}
				out.put(token, kind|15)
				d = putLength(out, d, n-15) // at most n/255+1 bytes
			}
			anchor = at
			if at > limit {
				break
			}
			table[hash(in.get64(at-2))] = uint32(at - 2) // at >= minMatch+1
			// A match often follows at once, without literals between.
			v := in.get64(at) // at <= limit
			h := hash(v)
			ref = int(table[h])
			table[h] = uint32(at)
			if at-ref >= window || in.get32(ref) != uint32(v) {
				at++
				break
			}
			if d+slack > len(dst) {
				return 0
			}
			token, kind = d, 0
			d++
		}
	}
	return putLastLiterals(dst, d, src[anchor:])
}

// findMatch returns the next position, at or after at, whose 4 bytes occur earlier,
// and the earlier position; -1 if there is none up to the limit.
func findMatch(in memory, at, limit int, table *hashTable) (int, int) {
	for tries := 1 << skipShift; at <= limit; tries++ {
		v := in.get64(at) // ends before limit+16, and so does what ref < at is read for
		h := hash(v)
		ref := int(table[h])
		table[h] = uint32(at)
		if at-ref < window && in.get32(ref) == uint32(v) {
			return at, ref
		}
		at += tries >> skipShift
	}
	return -1, 0
}

// matchLength counts the bytes from at up to end that equal those from ref on, ref < at.
// It reads none at or after end.
func matchLength(in memory, at, ref, end int) int {
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

// putLength writes the rest n of a length whose token holds 15, n/255+1 bytes.
func putLength(out memory, d, n int) int {
	for ; n >= 255; n -= 255 {
		out.put(d, 255)
		d++
	}
	out.put(d, byte(n))
	return d + 1
}

// putLastLiterals ends a block with the remaining literals.
func putLastLiterals(dst []byte, d int, rest []byte) int {
	n := len(rest)
	if d+n+n/255+2 > len(dst) {
		return 0
	}
	if n < 15 {
		dst[d] = byte(n << 4)
		d++
	} else {
		dst[d] = 15 << 4
		d = putLength(memoryOf(dst), d+1, n-15) // before the literals, for which there is room, too
	}
	return d + copy(dst[d:], rest)
}
