package lz4

import "math/bits"

// As the assembly has them.
const (
	shortSkip = 4  // after 16 tries in vain every second one is left out, and so on
	together  = 4  // positions of one try
	ahead     = 16 // bytes of one try that are compared with those before
	shortBack = 16 // a match less than that far back is taken for a repeated pixel
)

// shortTable holds the lower half of the last position of each hash of 5 bytes in the block:
// a match that is further back can't be used.
type shortTable [1 << hashBits]uint16

// enter enters a position and returns the last one of the same hash: at itself if there is
// none, and if it is 64 KiB back or more, a nearer one with other bytes, perhaps. The result
// is never below 0, because up to 64 KiB a position is its lower half.
func (t *shortTable) enter(v uint64, at int) int {
	place := &t[v<<24*889523592379>>(64-hashBits)]
	ref := at - int(uint16(at)-*place)
	*place = uint16(at)
	return ref
}

// modelBlock is compressBlock with compressModel.
func modelBlock(dst, src []byte) int {
	d, anchor := compressModel(dst, src, &shortTable{})
	if d < 0 {
		return 0
	}
	return putLastLiterals(dst, d, src[anchor:])
}

// compressModel is compressAVX2 in Go, step by step. The bytes that both make are the same.
func compressModel(dst, src []byte, table *shortTable) (d, anchor int) {
	in, out := memoryOf(src), memoryOf(dst)
	limit, end := len(src)-matchMargin, len(src)-lastLiterals
	at, ref, back := 1, 0, 1
	for {
		if at, ref = findMatch(in, at, limit, back, table); at < 0 {
			return d, anchor
		}
		for at > anchor && ref > 0 && in.get(at-1) == in.get(ref-1) { // 0 <= ref-1 < at-1 < limit
			at, ref = at-1, ref-1
		}
		for {
			n := matchLength(in, at+minMatch, ref+minMatch, end)
			literals := at - anchor
			if d+literals+literals>>7+n>>7+slack > len(dst) {
				return -1, 0
			}
			if at-ref < shortBack {
				back = at - ref // <= at, also of all positions after
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
			at += minMatch + n
			anchor = at
			if at > limit {
				return d, anchor
			}
			table.enter(in.get64(at-2), at-2) // at >= minMatch+1
			// A match often follows at once, without literals between.
			v := in.get64(at) // at <= limit
			if ref = table.enter(v, at); ref == at || in.get32(ref) != uint32(v) {
				at++
				break
			}
		}
	}
}

// findMatch returns the next position, at or after at, whose 4 bytes occur earlier,
// and the earlier position; -1 if there is none up to the limit. It tries four positions
// together, and enters all four. Among the next 29 positions it also looks for 4 bytes that
// are those back bytes before: pixels repeat.
func findMatch(in memory, at, limit, back int, table *shortTable) (int, int) {
	for tries := 1 << shortSkip; at+ahead-minMatch <= limit; tries++ {
		repeat := at + findRepeat(in, at, at-back)
		for i := at; i < at+together; i++ {
			v := in.get64(i) // ends before limit+16, and so does what ref < i is read for
			ref := table.enter(v, i)
			if i < repeat && ref != i && in.get32(ref) == uint32(v) {
				for j := i + 1; j < at+together; j++ {
					table.enter(in.get64(j), j)
				}
				return i, ref
			}
		}
		if repeat < at+ahead {
			return repeat, repeat - back
		}
		at += tries >> shortSkip * together
	}
	return -1, 0
}

// findRepeat returns how far after at and ref < at 4 bytes are equal, or ahead if they
// aren't within that many bytes. at+ahead <= limit+4.
func findRepeat(in memory, at, ref int) int {
	equal := equalBytes(in.get64(at)^in.get64(ref)) | equalBytes(in.get64(at+8)^in.get64(ref+8))<<8
	equal &= equal >> 1
	equal &= equal >> 2
	return bits.TrailingZeros64(equal | 1<<ahead)
}

// equalBytes returns a bit for each byte of x that is 0.
func equalBytes(x uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return ^(x&low + low | x | low) >> 7 * 0x0102040810204080 >> 56
}
