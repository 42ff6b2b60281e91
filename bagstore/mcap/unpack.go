package mcap

import (
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore"
	"rsros/bagstore/internal/lz4"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/place"
)

// giantBytes is the size above which a chunk isn't read whole before it is decompressed.
const giantBytes = 16 << 20

// Unpack reads and decompresses a chunk, nil if its messages are read from the file.
func (f *File) Unpack(n int) (*bagstore.Buffer, error) {
	if b := &f.blocks[n]; b.packed() {
		return f.unpack(b)
	}
	return nil, nil
}

// unpack reads and decompresses a chunk, and compares it with its checksum.
func (f *File) unpack(b *block) (*bagstore.Buffer, error) {
	k, err := f.content(b)
	if err == nil && !b.torn {
		if err = f.compare(b, k); err != nil {
			k.Release()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("chunk at byte %d: %w", b.info.Pos, err)
	}
	return bagstore.ContentBuffer(k), nil
}

// compare compares a chunk's content with its checksum. A wrong one is no error.
func (f *File) compare(b *block, k *memory.Content) error {
	want, err := f.storedSum(b)
	s, _ := f.spanOf(b)
	if err != nil || want == 0 || !f.sums.first(s) {
		return err
	}
	sum := crc32.NewIEEE()
	content, ok := k.Bytes()
	if ok {
		sum.Write(content)
	} else if _, err := io.Copy(sum, io.NewSectionReader(k.Reader(), 0, k.Size())); err != nil {
		return nil // the messages can't be read either
	}
	if sum.Sum32() != want {
		f.found.Add(wrongSum(s, nil))
	}
	return nil
}

// content reads and decompresses a chunk; of a torn or damaged one as much as possible.
func (f *File) content(b *block) (*memory.Content, error) {
	k, err := memory.NewContent(b.info.Size, b.info.Stored)
	if err != nil {
		return nil, err
	}
	if to, ok := k.Bytes(); ok && !b.torn && b.info.Stored <= giantBytes && f.unpackWhole(b, to) == nil {
		return k, nil
	}
	if err := f.unpackStream(b, k); err != nil && (place.Ended(err) || !b.torn && k.Size() == 0) {
		k.Release()
		return nil, err
	}
	return k, nil
}

// unpackWhole decompresses a chunk that is in memory as a whole.
func (f *File) unpackWhole(b *block, content []byte) error {
	if b.info.Compression == bagstore.None {
		return f.src.readFull(content, b.from)
	}
	stored := memory.Get(int(b.info.Stored))
	defer memory.Put(stored)
	if err := f.src.readFull(stored, b.from); err != nil {
		return err
	}
	if b.info.Compression == bagstore.LZ4 {
		_, err := lz4.Decode(content, stored, false)
		return err
	}
	dec, err := wholeDecoder()
	if err != nil {
		return err
	}
	out, err := dec.DecodeAll(stored, content[:0])
	if err == nil && len(out) != len(content) {
		err = fmt.Errorf("%d bytes unpacked, %d expected", len(out), len(content))
	}
	return err
}

// wholeDecoder returns the decoder for whole chunks. It starts no goroutines, decodes as many chunks at once as there
// are cores, and never more than it has room for.
var wholeDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecodeAllCapLimit(true))
})

// maxWindow bounds how far back a chunk of zstd may refer; level 19 has 8 MiB.
const maxWindow = 64 << 20

// unpackStream decompresses as much of a chunk as can be read.
func (f *File) unpackStream(b *block, to *memory.Content) error {
	stored := io.NewSectionReader(f.src.r, b.from, b.to-b.from)
	switch b.info.Compression {
	case bagstore.LZ4:
		return to.Fill(lz4.NewReader(stored))
	case bagstore.Zstd:
		// Without concurrency it starts no goroutines.
		in, err := zstd.NewReader(stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			to.Cut(0)
			return err
		}
		defer in.Close()
		return to.Fill(in)
	}
	return to.Fill(stored)
}

// packed reports whether a block's records are read as a whole: compressed ones and small messages.
func (b *block) packed() bool {
	if !b.chunk || b.info.Compression != bagstore.None {
		return b.chunk
	}
	n := b.info.Messages()
	return n > 1 && b.info.Size <= wholeChunk && b.info.Size/int64(n) < wholeMessage
}

// Uncompressed chunks of at most wholeChunk bytes are read whole if their messages have fewer than
// wholeMessage bytes on average.
const (
	wholeChunk   = 8 << 20
	wholeMessage = 32 << 10
)

// records returns a source for a block's records, decompressed if necessary, and their range in it. in is the block
// unpacked, or nil. The caller calls done after use.
func (f *File) records(in *bagstore.Buffer, b *block) (src source, from, to int64, done func(), err error) {
	done = func() {}
	if in == nil && !b.packed() {
		return f.src, b.from, b.to, done, nil
	}
	if in == nil {
		if in, err = f.unpack(b); err != nil {
			return source{}, 0, 0, nil, err
		}
		done = in.Release
	}
	k := in.Content()
	return source{k.Reader(), k.Size()}, 0, k.Size(), done, nil
}
