package rsdb3

import (
	"bytes"
	"context"
	"slices"

	"github.com/klauspost/compress/zstd"

	"rsros/bagstore/formats/rosbag2"
)

// maxFrame is the largest message that the SDK uncompresses.
const maxFrame = 256 << 20

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// blobs checks stored messages: the SDK's limits of zstd frames, and the first bytes of CDR.
func (c *checker) blobs(ctx context.Context, f *rosbag2.File) error {
	topics := f.Topics()
	var buf []byte
	alloc := func(n int) []byte {
		buf = slices.Grow(buf[:0], n)
		return buf
	}
	for i := range f.Blocks() {
		entries, err := f.Entries(i)
		if err != nil {
			c.breaks(14, "%v", err)
			continue
		}
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			data, err := f.Stored(i, e, alloc)
			if err != nil {
				continue // reported by rows
			}
			c.blob(topics[e.Conn].Name, data)
		}
	}
	return nil
}

func (c *checker) blob(name string, data []byte) {
	if bytes.HasPrefix(data, zstdMagic) {
		var head zstd.Header
		switch err := head.Decode(data); {
		case err != nil:
			c.breaks(13, "%s: %v", name, err)
		case !head.HasFCS:
			c.breaks(13, "%s: a zstd frame doesn't say its size", name)
		case head.FrameContentSize > maxFrame:
			c.breaks(13, "%s: a zstd frame of %d bytes", name, head.FrameContentSize)
		}
		return
	}
	if len(data) < 4 || data[0] != 0 || data[1] > 1 {
		c.breaks(14, "%s: a message of %d bytes has no encapsulation of plain CDR", name, len(data))
	}
}
