package lz4

import "math/bits"

// Rules of an LZ4 block: a match has at least 4 bytes and is at most 64 KiB back; the last 5 bytes are literals, and no
// match begins in the last 12 (48 here, so that 32 bytes after the first 4 may be read).
const (
	minMatch     = 4
	lastLiterals = 5
	matchMargin  = 48
	hashBits     = 13
	skipShift    = 5  // after 32 tries in vain every second position is tried, and so on
	shortBack    = 16 // a match less than that far back is taken for repeated pixels
	far          = 29 // how many positions are searched for the next repeat
	slack        = 64 // what a sequence may write besides its literals and lengths
)

// hashTable holds the last position of each hash of 5 bytes in the block.
type hashTable = positions[uint32]

// positions are complete, or their lower halves, which are enough because no match is more than 64
// KiB back. Halves need less cache, but more work in Go; the assembly uses them.
type positions[T uint16 | uint32] [1 << hashBits]T

// enter enters a position and returns the last one of the same hash, or 0. With halves it returns
// one less than 64 KiB back: at itself if there is none, or a wrong one if the right one is further
// back. That is never negative, because up to 64 KiB the lower half is the position.
func (p *positions[T]) enter(v uint64, at int) int {
	place := &p[v<<24*889523592379>>(64-hashBits)]
	ref := int(*place)
	if halves := ^T(0) == 1<<16-1; halves {
		ref = at - int(T(at)-*place)
	}
	*place = T(at)
	return ref
}

// job is a block to compress.
type job struct {
	dst, src  []byte
	d, anchor int // how long the sequences are, and where the literals after them begin; -1 if dst is too small
}

// compressBoth compresses two blocks, each of which may be empty, except for the last literals.
func compressBoth(jobs *[2]job, table *hashTable) {
	if len(jobs[0].src)+len(jobs[1].src) == 0 || compressFast(jobs, table) {
		return
	}
	for i := range jobs {
		if j := &jobs[i]; len(j.src) > 0 {
			j.d, j.anchor = compressSequences(j.dst, j.src, table)
		}
	}
}

// end writes the last literals and returns the length of the block, 0 if dst is too small.
func (j *job) end() int { return endBlock(j.dst, j.src, j.d, j.anchor) }

// endBlock writes the last literals after d bytes of a block, unless d is -1.
func endBlock(dst, src []byte, d, anchor int) int {
	if d < 0 {
		return 0
	}
	return putLastLiterals(dst, d, src[anchor:])
}

// compressSequences compresses all but the last literals. It returns how long the sequences are and where the literals
// begin, or -1 if they don't fit. Camera data are short runs with noise, so most time goes into short copies and
// finding matches. Matches with literals before them that are the same few bytes back are runs of equal pixels: after
// two, the next one is looked for by comparing bytes with those a pixel before, and the table is asked only if there is
// none.
//
// The bounds of all accesses to memory, which checks none by itself:
//   - 0 <= anchor <= at and 0 <= ref < at of a match: the table holds positions before at
//     only, as a match ends after the last one that was entered, also if it was extended
//     backward. At a place without a match ref may be at. From a match to the repeat after
//     it at-ref stays the same.
//   - at <= limit, 48 bytes before the end of src, wherever a match begins; after a match
//     at <= end.
//   - d is checked against len(dst) once for a sequence, with its literals, lengths and
//     slack for the rest.
func compressSequences[T uint16 | uint32](dst, src []byte, table *positions[T]) (d, anchor int) {
	clear(table[:])
	in, out := memoryOf(src), memoryOf(dst)
	limit, end := len(src)-matchMargin, len(src)-lastLiterals
	at, ref, literals, last := 0, 0, 0, 0
	for {
		repeat, back := far, at-ref
		at, ref = at+1, ref+1
		if literals > 0 {
			if back == last && back < shortBack {
				repeat = findRepeat(in, at, ref) // at <= limit+1
			}
			last = back
		}
		if repeat < far && at+repeat <= limit {
			at, ref = at+repeat, ref+repeat
		} else {
			if at, ref = findMatch(in, at, limit, table); at < 0 {
				return d, anchor
			}
			for at > anchor && ref > 0 && in.get(at-1) == in.get(ref-1) { // 0 <= ref-1 < at-1 < limit
				at, ref = at-1, ref-1
			}
		}
		for {
			n := 8
			if x := in.get64(at+minMatch) ^ in.get64(ref+minMatch); x != 0 { // at+12 <= limit+12
				n = bits.TrailingZeros64(x) >> 3
			} else {
				n += matchLength(in, at+minMatch+8, ref+minMatch+8, end)
			}
			literals = at - anchor
			if d+literals+literals>>7+n>>7+slack > len(dst) {
				return -1, 0
			}
			token, kind := d, byte(literals<<4)
			if literals == 0 {
				d++ // of the token
			} else if literals < 15 {
				// This copies more than the literals, up to d+17, within slack, and reads up to anchor+16 <= limit+16.
				out.copy16(d+1, in, anchor)
				d += 1 + literals
			} else {
				kind = 15 << 4
				d = putLength(out, d+1, literals-15) // at most literals/255+1 bytes
				d += copy(dst[d:], src[anchor:at])   // there is room for slack-2 bytes more
			}
			out.put16(d, uint16(at-ref))
			d += 2
			if n < 15 {
				out.put(token, kind|byte(n)) // token < d
			} else {
				out.put(token, kind|15)
				d = putLength(out, d, n-15) // at most n/255+1 bytes
			}
			at, ref = at+minMatch+n, ref+minMatch+n
			anchor = at
			if at > limit {
				return d, anchor
			}
			table.enter(in.get64(at-2), at-2) // at >= minMatch+1
			// A match often follows at once, without literals between.
			v := in.get64(at) // at <= limit
			next := table.enter(v, at)
			if in.get32(next) != uint32(v) || uint(at-next-1) >= window-1 {
				break
			}
			ref = next
		}
	}
}

// findMatch returns the next position from at on whose 4 bytes occur earlier, and the earlier
// position; -1 if there is none up to the limit.
func findMatch[T uint16 | uint32](in memory, at, limit int, table *positions[T]) (int, int) {
	for tries := 1 << skipShift; at <= limit; tries++ {
		v := in.get64(at)
		if ref := table.enter(v, at); in.get32(ref) == uint32(v) && uint(at-ref-1) < window-1 {
			return at, ref
		}
		at += tries >> skipShift
	}
	return -1, 0
}

// findRepeat returns how far after at and ref < at 4 bytes are equal, far if not within 32 bytes. at+32 <= limit+33.
func findRepeat(in memory, at, ref int) int {
	for _, k := range [3]int{0, 13, far - 13} {
		equal := equalBytes(in.get64(at+k)^in.get64(ref+k)) | equalBytes(in.get64(at+k+8)^in.get64(ref+k+8))<<8
		equal &= equal >> 1
		equal &= equal >> 2
		if equal != 0 {
			return k + bits.TrailingZeros64(equal)
		}
	}
	return far
}

// equalBytes returns a bit for each byte of x that is 0.
func equalBytes(x uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return ^(x&low + low | x | low) >> 7 * 0x0102040810204080 >> 56
}

// matchLength counts the equal bytes from at, up to end, and from ref < at.
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

func putLength(out memory, d, n int) int {
	for ; n >= 255; n -= 255 {
		out.put(d, 255)
		d++
	}
	out.put(d, byte(n))
	return d + 1
}

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
