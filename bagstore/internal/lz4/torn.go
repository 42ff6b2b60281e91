package lz4

// decodeTorn decodes what there is of a block that was cut off into dst[n:] and
// returns the number of bytes. A block is sequences of a token (lengths in 4
// bits each), literals, a 2-byte distance back, and longer lengths as bytes of
// 255 and a last one. Everything before the cut is as good as in a whole block.
func decodeTorn(dst []byte, n int, src []byte) int {
	start := n
	for len(src) > 0 {
		token := src[0]
		src = src[1:]
		literals, rest, ok := readLength(int(token>>4), src)
		if !ok {
			break
		}
		src = rest
		k := min(literals, len(src), len(dst)-n)
		n += copy(dst[n:], src[:k])
		if k < literals || len(src)-k < 2 {
			break
		}
		back := int(src[k]) | int(src[k+1])<<8
		match, rest, ok := readLength(int(token&15), src[k+2:])
		if !ok || back == 0 || back > n {
			break
		}
		src = rest
		// Byte by byte: a match may reach into what it makes.
		for end := min(n+match+4, len(dst)); n < end; n++ {
			dst[n] = dst[n-back]
		}
	}
	return n - start
}

// readLength adds the further bytes of a length whose 4 bits are all set.
func readLength(n int, src []byte) (int, []byte, bool) {
	if n < 15 {
		return n, src, true
	}
	for i, b := range src {
		n += int(b)
		if b != 255 {
			return n, src[i+1:], true
		}
	}
	return 0, nil, false
}
