package mcap

import (
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"rsros/bagstore"
	own "rsros/bagstore/internal/lz4"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/place"
)

// Limits of the cache.
const (
	cacheBytes = 32 << 20
	// fileBytes is what a chunk in a temporary file counts as.
	fileBytes  = cacheBytes / 4
	giantBytes = 16 << 20 // larger chunks are unpacked one at a time
	// patience is how long to wait for another goroutine to unpack a chunk. It may have
	// a low priority.
	patience = 20 * time.Millisecond
)

// contents keeps the content of recently used chunks, of all files: a recording may be split
// into many. Several goroutines may unpack different chunks concurrently.
var contents cache

type cache struct {
	giant sync.Mutex // held while a giant is unpacked

	mu    sync.Mutex
	order []*content // most recent last
	bytes int        // weight of all content

	decoders sync.Once
	zstd     *zstd.Decoder // for whole chunks
	zstdErr  error
	lz4      sync.Pool // of decoders of LZ4
}

// content is a chunk's content. Once done is closed, all but users doesn't change.
type content struct {
	file *File
	from int64 // in the file
	done chan struct{}
	*memory.Content
	err   error
	users int // guarded by cache.mu; the cache is one of them
}

// weight is what a loaded content counts as in the cache.
func (k *content) weight() int {
	if _, ok := k.Bytes(); !ok {
		return fileBytes
	}
	return k.Held()
}

// get returns a block's content, which is read-only and valid until put.
func (c *cache) get(f *File, b *block) (*content, error) {
	k, load := c.find(f, b.from)
	if load {
		c.load(b, k)
	} else if !k.wait(b.info.Size > giantBytes) {
		c.put(k)
		k = &content{file: f, from: b.from, done: make(chan struct{}), users: 1} // for the caller alone
		c.load(b, k)
	}
	if k.err != nil {
		err := k.err
		c.put(k)
		return nil, fmt.Errorf("chunk at byte %d: %w", b.info.Pos, err)
	}
	return k, nil
}

// wait waits until the content is loaded; without always, at most for patience. It
// reports whether it is.
func (k *content) wait(always bool) bool {
	select {
	case <-k.done:
		return true
	default:
	}
	if always {
		<-k.done
		return true
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	select {
	case <-k.done:
		return true
	case <-enough.C:
		return false
	}
}

// find returns a chunk's content. If load is true, the caller must load it.
func (c *cache) find(f *File, from int64) (k *content, load bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.order, func(k *content) bool { return k.file == f && k.from == from }); i >= 0 {
		k = c.order[i]
		c.order = append(slices.Delete(c.order, i, i+1), k)
	} else {
		k, load = &content{file: f, from: from, done: make(chan struct{}), users: 1}, true
		c.order = append(c.order, k)
	}
	k.users++
	return k, load
}

// load unpacks a chunk.
func (c *cache) load(b *block, k *content) {
	defer close(k.done)
	if b.info.Size > giantBytes {
		c.giant.Lock()
		defer c.giant.Unlock()
	}
	c.mu.Lock()
	c.makeRoom(int(min(b.info.Size, cacheBytes)), k)
	c.mu.Unlock()
	unpacked, err := k.file.unpack(b)
	if err == nil && !b.torn {
		if err = k.file.compare(b, unpacked); err != nil {
			unpacked.Release()
			unpacked = nil
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k.Content, k.err = unpacked, err
	at := slices.Index(c.order, k)
	if at < 0 {
		return // it isn't kept
	}
	if k.err != nil {
		c.order = slices.Delete(c.order, at, at+1)
		k.users--
		return
	}
	c.bytes += k.weight()
	c.makeRoom(0, k)
}

// compare compares a chunk's content with its checksum. A wrong one is no error.
func (f *File) compare(b *block, k *memory.Content) error {
	want, err := f.storedSum(b)
	if err != nil || want == 0 {
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
		f.found.Add(wrongSum(b))
	}
	return nil
}

func wrongSum(b *block) bagstore.Note {
	return bagstore.Note{Offset: b.info.Pos, Kind: "chunk", Severity: bagstore.Loss, Text: "the content doesn't have the checksum of the chunk"}
}

// makeRoom drops the oldest contents until n more bytes fit, except k and those that are
// being unpacked. c.mu is held.
func (c *cache) makeRoom(n int, k *content) {
	for i := 0; c.bytes+n > cacheBytes && i < len(c.order); {
		if old := c.order[i]; old == k || old.Content == nil {
			i++
		} else {
			c.remove(i)
		}
	}
}

// remove removes a loaded content. c.mu is held.
func (c *cache) remove(i int) {
	k := c.order[i]
	c.order = slices.Delete(c.order, i, i+1)
	c.bytes -= k.weight()
	c.drop(k)
}

// forget removes the contents of a file that nobody reads any more.
func (c *cache) forget(f *File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.order) - 1; i >= 0; i-- {
		if k := c.order[i]; k.file == f && k.Content != nil {
			c.remove(i)
		}
	}
}

// put releases a content.
func (c *cache) put(k *content) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(k)
}

// drop removes a user of a content. c.mu is held.
func (c *cache) drop(k *content) {
	if k.users--; k.users == 0 && k.Content != nil {
		k.Release()
	}
}

// unpack reads and decompresses a chunk; of a torn or damaged one as much as possible.
func (f *File) unpack(b *block) (*memory.Content, error) {
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
	if b.info.Compression == compressLZ4 {
		_, err := own.Decode(content, stored, false)
		return err
	}
	dec, err := contents.wholeDecoder()
	if err != nil {
		return err
	}
	out, err := dec.DecodeAll(stored, content[:0])
	if err == nil && len(out) != len(content) {
		err = fmt.Errorf("%d bytes unpacked, %d expected", len(out), len(content))
	}
	return err
}

func (c *cache) wholeDecoder() (*zstd.Decoder, error) {
	c.decoders.Do(func() {
		// It starts no goroutines, decodes as many chunks at once as there are cores, and
		// never more than it has room for.
		c.zstd, c.zstdErr = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
	})
	return c.zstd, c.zstdErr
}

// maxWindow bounds how far back a chunk of zstd may refer; level 19 has 8 MiB.
const maxWindow = 64 << 20

// unpackStream decompresses as much of a chunk as can be read.
func (f *File) unpackStream(b *block, to *memory.Content) error {
	stored := io.NewSectionReader(f.src.r, b.from, b.to-b.from)
	switch b.info.Compression {
	case compressLZ4:
		in, ok := contents.lz4.Get().(*lz4.Reader)
		if !ok {
			in = lz4.NewReader(nil)
		}
		in.Reset(stored)
		defer contents.lz4.Put(in)
		return to.Fill(in)
	case compressZstd:
		// Without concurrency it starts no goroutines.
		in, err := zstd.NewReader(stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
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

// records returns a source for a block's records, decompressed if necessary, and their range in it.
// The caller calls done after use.
func (f *File) records(b *block) (src source, from, to int64, done func(), err error) {
	if !b.packed() {
		return f.src, b.from, b.to, func() {}, nil
	}
	k, err := contents.get(f, b)
	if err != nil {
		return source{}, 0, 0, nil, err
	}
	return source{k.Reader(), k.Size()}, 0, k.Size(), func() { contents.put(k) }, nil
}
