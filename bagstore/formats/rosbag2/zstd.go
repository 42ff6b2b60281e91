package rosbag2

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// Limits of a compressed message. A block of zstd has at least 4 bytes and holds at most 128 KiB.
const (
	maxMessage = 256 << 20 // librealsense reads no larger ones
	maxRatio   = 1 << 15
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// messageZstd decompresses messages. Any that begins like a zstd frame is compressed, because CDR
// begins with a zero.
type messageZstd struct {
	once    sync.Once
	dec     *zstd.Decoder
	err     error
	seen    atomic.Bool // the last message was compressed
	scratch sync.Pool   // of *[]byte: compressed messages
}

// slack is room after a message with which the decoder is faster.
const slack = 64

// read reads a message with load and appends its plain form to what alloc returns. It is safe for
// concurrent use.
func (z *messageZstd) read(alloc func(int) []byte, load func(alloc func(int) []byte) ([]byte, error)) ([]byte, error) {
	if !z.seen.Load() {
		data, err := load(alloc)
		if err != nil || !bytes.HasPrefix(data, zstdMagic) {
			return data, err
		}
		z.seen.Store(true)
		return z.unpack(alloc, bytes.Clone(data))
	}
	buffer, ok := z.scratch.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	defer z.scratch.Put(buffer)
	data, err := load(func(n int) []byte {
		if cap(*buffer) < n {
			*buffer = make([]byte, 0, n)
		}
		return (*buffer)[:0]
	})
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(data, zstdMagic) {
		z.seen.Store(false)
		return append(alloc(len(data)), data...), nil
	}
	return z.unpack(alloc, data)
}

func (z *messageZstd) unpack(alloc func(int) []byte, data []byte) ([]byte, error) {
	z.once.Do(func() { z.dec, z.err = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxMessage)) })
	if z.err != nil {
		return nil, z.err
	}
	var head zstd.Header
	if err := head.Decode(data); err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	size := head.FrameContentSize
	if head.HasFCS && (size > maxMessage || size > maxRatio*uint64(len(data))) {
		return nil, fmt.Errorf("zstd frame of %d bytes claims to hold %d", len(data), size)
	}
	var to []byte
	if head.HasFCS {
		to = alloc(int(size) + slack)
	}
	plain, err := z.dec.DecodeAll(data, to)
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	if !head.HasFCS {
		return append(alloc(len(plain)), plain...), nil
	}
	return plain, nil
}
