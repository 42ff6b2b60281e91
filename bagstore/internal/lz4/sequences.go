package lz4

import "io"

// decodeSequences decodes a block to dst[n:] and returns the number of valid bytes of dst. Matches
// reach back to dst[low]. Up to 64 bytes after the valid ones are overwritten.
//
// A sequence is a token (two lengths of 4 bits), literals, a 2-byte distance back, and longer
// lengths as bytes of 255 and a last one. The last sequence has only literals.
func decodeSequences(dst []byte, low, n int, src []byte) (int, error) {
	for at := 0; at < len(src); {
		if n, at = fastSequences(dst, src, low, n, at); at == len(src) {
			break
		}
		token := int(src[at])
		literals, next, ok := readLength(token>>4, src, at+1)
		k := min(literals, len(src)-next, len(dst)-n)
		copy(dst[n:], src[next:next+k])
		n, next = n+k, next+k
		switch {
		case k < literals && n == len(dst):
			return n, tooLarge(dst)
		case !ok || k < literals:
			return n, sequenceError(at, io.ErrUnexpectedEOF)
		case next == len(src):
			return n, nil
		case next+2 > len(src):
			return n, sequenceError(at, io.ErrUnexpectedEOF)
		}
		back := int(src[next]) | int(src[next+1])<<8
		match, next, ok := readLength(token&15, src, next+2)
		switch {
		case !ok:
			return n, sequenceError(at, io.ErrUnexpectedEOF)
		case back == 0 || back > n-low:
			return n, frameError("block: the match of the sequence at %d is %d bytes back of %d", at, back, n-low)
		}
		end := min(n+match+minMatch, len(dst))
		cut := end-n < match+minMatch
		// A match may reach into what it makes: what is there is copied, and what is there then.
		for from := n - back; n < end; {
			n += copy(dst[n:end], dst[from:n])
		}
		if cut {
			return n, tooLarge(dst)
		}
		at = next
	}
	return n, nil
}

func sequenceError(at int, err error) error {
	return frameError("block: sequence at %d: %w", at, err)
}

func tooLarge(dst []byte) error {
	return frameError("frame holds more than the %d bytes that the chunk header says", len(dst))
}

// mostLength bounds a length, so that sums of some don't overflow 32 bits. Chunks are smaller.
const mostLength = 1 << 29

// readLength adds the bytes from src[at:] to a length whose 4 bits are set, up to mostLength, and
// returns where they end.
func readLength(n int, src []byte, at int) (int, int, bool) {
	if n < 15 {
		return n, at, true
	}
	for i, b := range src[at:] {
		n = min(n+int(b), mostLength)
		if b != 255 {
			return n, at + i + 1, true
		}
	}
	return 0, at, false
}
