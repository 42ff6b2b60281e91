package lz4

import (
	"encoding/binary"
	"math/bits"
)

// Primes of the xxHash32 definition, the checksum of LZ4 frames.

const (
	prime1 uint32 = 2654435761
	prime2 uint32 = 2246822519
	prime3 uint32 = 3266489917
	prime4 uint32 = 668265263
	prime5 uint32 = 374761393
)

// xxh32 is xxHash32 with seed 0.
func xxh32(b []byte) uint32 {
	x := newXXH32()
	return x.sum(x.add(b))
}

// xxHash computes xxHash32 of bytes that come in pieces.
type xxHash struct {
	v    [4]uint32
	size int // of what was added
}

func newXXH32() xxHash {
	p1, p2 := prime1, prime2
	return xxHash{v: [4]uint32{p1 + p2, p2, 0, -p1}}
}

// add adds bytes, 16 at a time, and returns the rest.
func (x *xxHash) add(b []byte) []byte {
	all := len(b)
	if fast {
		n := len(b) &^ 63
		checksumFast(&x.v, b[:n])
		b = b[n:]
	}
	b = checksumStripes(&x.v, b)
	x.size += all - len(b)
	return b
}

// sum returns the checksum of what was added and of the rest, less than 16 bytes.
func (x *xxHash) sum(rest []byte) uint32 {
	h := prime5
	if x.size > 0 {
		h = bits.RotateLeft32(x.v[0], 1) + bits.RotateLeft32(x.v[1], 7) +
			bits.RotateLeft32(x.v[2], 12) + bits.RotateLeft32(x.v[3], 18)
	}
	h += uint32(x.size + len(rest))
	for ; len(rest) >= 4; rest = rest[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(rest)*prime3, 17) * prime4
	}
	for _, c := range rest {
		h = bits.RotateLeft32(h+uint32(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}

// checksumStripes updates the sums with b, 16 bytes at a time, and returns the rest.
func checksumStripes(v *[4]uint32, b []byte) []byte {
	v1, v2, v3, v4 := v[0], v[1], v[2], v[3]
	for len(b) >= 16 {
		s := b[:16:16]
		v1 = bits.RotateLeft32(v1+binary.LittleEndian.Uint32(s[0:])*prime2, 13) * prime1
		v2 = bits.RotateLeft32(v2+binary.LittleEndian.Uint32(s[4:])*prime2, 13) * prime1
		v3 = bits.RotateLeft32(v3+binary.LittleEndian.Uint32(s[8:])*prime2, 13) * prime1
		v4 = bits.RotateLeft32(v4+binary.LittleEndian.Uint32(s[12:])*prime2, 13) * prime1
		b = b[16:]
	}
	*v = [4]uint32{v1, v2, v3, v4}
	return b
}
