package rosbag2

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Limits of a compressed message. A block of zstd holds at most 128 KiB and takes at
// least 4 bytes, so a frame can't say more than 32768 times its size.
const (
	maxMessage = 256 << 20 // librealsense reads no larger ones
	maxRatio   = 1 << 15
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// messageZstd decompresses messages. rosbag2 says in another file, and librealsense not at
// all, whether they are compressed: each one that begins like a zstd frame is, as CDR
// begins with a zero.
type messageZstd struct {
	once sync.Once
	dec  *zstd.Decoder
	err  error
}

// read reads a message with load and appends its plain form to what alloc returns.
func (z *messageZstd) read(alloc func(int) []byte, load func(alloc func(int) []byte) ([]byte, error)) ([]byte, error) {
	data, err := load(alloc)
	if err != nil || !bytes.HasPrefix(data, zstdMagic) {
		return data, err
	}
	z.once.Do(func() { z.dec, z.err = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxMessage)) })
	if z.err != nil {
		return nil, z.err
	}
	var head zstd.Header
	if err := head.Decode(data); err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	if size := head.FrameContentSize; head.HasFCS && (size > maxMessage || size > maxRatio*uint64(len(data))) {
		return nil, fmt.Errorf("zstd frame of %d bytes claims to hold %d", len(data), size)
	}
	plain, err := z.dec.DecodeAll(data, make([]byte, 0, head.FrameContentSize))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return append(alloc(len(plain)), plain...), nil
}
