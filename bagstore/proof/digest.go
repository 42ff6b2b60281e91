package proof

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/zeebo/blake3"
)

// Digest is a BLAKE3 hash.
type Digest [32]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// DigestOf returns the digest of bytes.
func DigestOf(b []byte) Digest { return blake3.Sum256(b) }

// Hasher computes the digest of a chunk's content and those of its messages in one pass over the bytes. It is for
// one goroutine.
//
// The digest of an uncompressed chunk is that of its records, with the digest of its data in place of each message's
// data. That of a compressed one is the digest of the stored bytes. Neither depends on where the chunk is, nor on the
// padding in its header, so a copy in another bag has the same.
type Hasher struct {
	content, data *blake3.Hasher
}

// NewHasher returns a Hasher.
func NewHasher() *Hasher { return &Hasher{content: blake3.New(), data: blake3.New()} }

// Begin begins a chunk.
func (h *Hasher) Begin(compression string, size int64) {
	h.content.Reset()
	h.Bytes([]byte("chunk " + compression + "\x00"))
	h.Bytes(binary.LittleEndian.AppendUint64(nil, uint64(size)))
}

// Bytes adds bytes that are not a message's data.
func (h *Hasher) Bytes(b []byte) { _, _ = h.content.Write(b) } // a Hasher's Write never fails

// Data adds a part of a message's data.
func (h *Hasher) Data(b []byte) { _, _ = h.data.Write(b) }

// Message ends a message's data, adds them to the chunk, and returns their digest.
func (h *Hasher) Message() (d Digest) {
	d = h.Loose()
	h.Bytes(d[:])
	return d
}

// Loose ends a message's data, and returns their digest without adding them to the chunk.
func (h *Hasher) Loose() (d Digest) {
	h.data.Sum(d[:0])
	h.data.Reset()
	return d
}

// Sum ends the chunk and returns its digest.
func (h *Hasher) Sum() (d Digest) {
	h.content.Sum(d[:0])
	return d
}
