package mcap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"rsros/bagstore"
	own "rsros/bagstore/internal/lz4"
)

// Limits of the cache.
const (
	cacheBytes = 32 << 20
	freeBytes  = 16 << 20 // of memory that waits for the next chunk
	giantBytes = 16 << 20 // larger chunks are unpacked one at a time
	// patience is how long to wait for another goroutine to unpack a chunk. It may have
	// a low priority.
	patience = 20 * time.Millisecond
	slack    = 64 // bytes after the content that make the zstd decoder faster
)

// cache keeps the content of recently used chunks. Several goroutines may unpack different
// chunks concurrently.
type cache struct {
	giant sync.Mutex // held while a giant is unpacked

	mu    sync.Mutex
	order []*content // most recent last
	bytes int        // capacity of all content
	free  [][]byte

	decoders sync.Once
	zstd     *zstd.Decoder // for whole chunks
	zstdErr  error
	lz4      sync.Pool // of decoders of LZ4
}

// content is a chunk's content. Once done is closed, bytes and err don't change.
type content struct {
	from  int64 // in the file
	done  chan struct{}
	bytes []byte
	err   error
	users int // guarded by cache.mu; the cache is one of them
}

// get returns a block's content, which is read-only and valid until put.
func (c *cache) get(f *File, b *block) (*content, error) {
	k, load := c.find(b.from)
	if load {
		c.load(f, b, k)
	} else if !k.wait(b.info.Size > giantBytes) {
		c.put(k)
		k = &content{from: b.from, done: make(chan struct{}), users: 1} // for the caller alone
		c.load(f, b, k)
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
func (c *cache) find(from int64) (k *content, load bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.IndexFunc(c.order, func(k *content) bool { return k.from == from }); i >= 0 {
		k = c.order[i]
		c.order = append(slices.Delete(c.order, i, i+1), k)
	} else {
		k, load = &content{from: from, done: make(chan struct{}), users: 1}, true
		c.order = append(c.order, k)
	}
	k.users++
	return k, load
}

// load unpacks a chunk.
func (c *cache) load(f *File, b *block, k *content) {
	defer close(k.done)
	if b.info.Size > giantBytes {
		c.giant.Lock()
		defer c.giant.Unlock()
	}
	unpacked, err := f.unpack(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	k.bytes, k.err = unpacked, err
	at := slices.Index(c.order, k)
	if at < 0 {
		return // it isn't kept
	}
	if k.err != nil {
		c.order = slices.Delete(c.order, at, at+1)
		k.users--
		return
	}
	c.bytes += cap(k.bytes)
	for i := 0; c.bytes > cacheBytes && i < len(c.order); {
		if old := c.order[i]; old == k || old.bytes == nil {
			i++ // the newest, or one that is being unpacked
		} else {
			c.order = slices.Delete(c.order, i, i+1)
			c.bytes -= cap(old.bytes)
			c.drop(old)
		}
	}
}

// put releases a content.
func (c *cache) put(k *content) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(k)
}

// drop removes a user of a content. After the last one the memory is reused. c.mu is held.
func (c *cache) drop(k *content) {
	if k.users--; k.users == 0 {
		c.keep(k.bytes)
	}
}

// keep keeps memory for the next chunk. c.mu is held.
func (c *cache) keep(b []byte) {
	total := cap(b)
	for _, f := range c.free {
		total += cap(f)
	}
	if cap(b) > 0 && total <= freeBytes {
		c.free = append(c.free, b)
	}
}

// memory returns n bytes with room for slack more.
func (c *cache) memory(n int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	best := -1
	for i, f := range c.free {
		if cap(f) >= n+slack && cap(f)/4 <= n && (best < 0 || cap(f) < cap(c.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]byte, n, n+n/8+slack)
	}
	b := c.free[best][:n]
	c.free = slices.Delete(c.free, best, best+1)
	return b
}

// giveBack releases memory.
func (c *cache) giveBack(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(b)
}

// unpack reads and decompresses a chunk; of a torn or damaged one as much as possible.
func (f *File) unpack(b *block) ([]byte, error) {
	content := f.cache.memory(int(b.info.Size))
	if !b.torn && b.info.Stored <= giantBytes && f.unpackWhole(b, content) == nil {
		return content, nil
	}
	n, err := f.unpackStream(b, content)
	if err != nil && !b.torn && n == 0 {
		f.cache.giveBack(content)
		return nil, err
	}
	if n >= cap(content)/4 {
		return content[:n], nil
	}
	part := f.cache.memory(n)
	copy(part, content)
	f.cache.giveBack(content)
	return part, nil
}

// unpackWhole decompresses a chunk that is in memory as a whole.
func (f *File) unpackWhole(b *block, content []byte) error {
	if b.info.Compression == bagstore.None {
		return f.src.readFull(content, b.from)
	}
	stored := f.cache.memory(int(b.info.Stored))
	defer f.cache.giveBack(stored)
	if err := f.src.readFull(stored, b.from); err != nil {
		return err
	}
	if b.info.Compression == compressLZ4 {
		_, err := own.Decode(content, stored, false)
		return err
	}
	dec, err := f.cache.wholeDecoder()
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

// unpackStream decompresses as much of a chunk as can be read.
func (f *File) unpackStream(b *block, content []byte) (n int, err error) {
	stored := io.NewSectionReader(f.src.r, b.from, b.to-b.from)
	var r io.Reader = stored
	switch b.info.Compression {
	case compressLZ4:
		in, ok := f.cache.lz4.Get().(*lz4.Reader)
		if !ok {
			in = lz4.NewReader(nil)
		}
		in.Reset(stored)
		defer f.cache.lz4.Put(in)
		r = in
	case compressZstd:
		// Without concurrency it starts no goroutines.
		in, err := zstd.NewReader(stored, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return 0, err
		}
		defer in.Close()
		r = in
	}
	n, err = io.ReadFull(r, content)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
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
	k, err := f.cache.get(f, b)
	if err != nil {
		return source{}, 0, 0, nil, err
	}
	n := int64(len(k.bytes))
	return source{bytes.NewReader(k.bytes), n}, 0, n, func() { f.cache.put(k) }, nil
}
