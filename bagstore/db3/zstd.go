package db3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore/internal/memory"
)

// IsZstd reports whether a file or message begins like a frame of zstd.
func IsZstd(data []byte) bool { return bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// messageZstd decompresses messages. Any that begins like a zstd frame is compressed, because CDR begins with a zero.
type messageZstd struct {
	once sync.Once
	dec  *zstd.Decoder // never decodes more than there is room for
	err  error
	seen atomic.Bool // the last message was compressed
}

// read reads a message with load and appends its plain form to what alloc returns. It is safe for concurrent use.
func (z *messageZstd) read(alloc func(int) []byte, load func(alloc func(int) []byte) ([]byte, error)) ([]byte, error) {
	if !z.seen.Load() {
		data, err := load(alloc)
		if err != nil || !IsZstd(data) {
			return data, err
		}
		z.seen.Store(true)
		return z.unpack(alloc, bytes.Clone(data))
	}
	var stored memory.Scratch
	defer stored.Put()
	data, err := load(stored.Get)
	if err != nil {
		return nil, err
	}
	if !IsZstd(data) {
		z.seen.Store(false)
		return append(alloc(len(data)), data...), nil
	}
	return z.unpack(alloc, data)
}

func (z *messageZstd) unpack(alloc func(int) []byte, data []byte) ([]byte, error) {
	z.once.Do(func() { z.dec, z.err = zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true)) })
	if z.err != nil {
		return nil, z.err
	}
	size, err := unpackedSize(data)
	if err == nil {
		err = memory.Fits(size, int64(len(data)))
	}
	if err != nil {
		return nil, err
	}
	plain, err := z.dec.DecodeAll(data, alloc(int(size)+memory.Slack))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return plain, nil
}

// maxWindow bounds how far back a frame without a size may refer.
const maxWindow = 8 << 20

// unpackedSize is what a message unpacks to, or more than fits. Without a size in the frame's
// head, it is decompressed to count it.
func unpackedSize(data []byte) (int64, error) {
	var head zstd.Header
	if err := head.Decode(data); err != nil {
		return 0, fmt.Errorf("zstd: %w", err)
	}
	if size := head.FrameContentSize; head.HasFCS {
		if size > memory.ZstdRatio*uint64(len(data)) {
			return 0, fmt.Errorf("zstd frame of %d bytes claims to hold %d", len(data), size)
		}
		return int64(size), nil
	}
	in, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return 0, fmt.Errorf("zstd: %w", err)
	}
	defer in.Close()
	n, err := io.CopyN(io.Discard, in, memory.Most(int64(len(data)))+1)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("zstd: %w", err)
	}
	return n, nil
}
