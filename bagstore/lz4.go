package bagstore

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pierrec/lz4/v4"
)

// Constants of the LZ4 frame format. roslz4, the reader of stock rosbag and
// librealsense, takes only version 1, independent blocks, no block checksum, no
// content size, a content checksum: so that is what we write. We read any.
const (
	lz4Magic       = 0x184d2204
	lz4Flags       = 0x64    // version 1, independent blocks, content checksum
	lz4Block       = 0x60    // blocks of 1 MiB
	lz4BlockSize   = 1 << 20 // as lz4Block says
	lz4Raw         = 1 << 31 // block length bit: stored, not compressed
	lz4Independent = 1 << 5
	lz4BlockSum    = 1 << 4
	lz4ContentSize = 1 << 3
	lz4ContentSum  = 1 << 2
	lz4Dictionary  = 1 << 0
	lz4Window      = 64 << 10 // how far back a linked block may refer
)

// lz4Encoder makes frames. It is for one goroutine.
type lz4Encoder struct{ table lz4Table }

// encode appends src as one frame. Blocks that don't shrink are stored.
func (e *lz4Encoder) encode(dst, src []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, lz4Magic)
	dst = append(dst, lz4Flags, lz4Block, byte(xxh32([]byte{lz4Flags, lz4Block})>>8))
	for rest := src; len(rest) > 0; {
		n := min(len(rest), lz4BlockSize)
		dst = e.block(dst, rest[:n])
		rest = rest[n:]
	}
	dst = binary.LittleEndian.AppendUint32(dst, 0) // end mark
	return binary.LittleEndian.AppendUint32(dst, xxh32(src))
}

func (e *lz4Encoder) block(dst, src []byte) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	// Room for less than src: compression that doesn't help fails early.
	room, n := len(src)-1, 0
	if cap(dst)-len(dst) < len(src) {
		grown := make([]byte, len(dst), 2*cap(dst)+len(src)+8)
		copy(grown, dst)
		dst = grown
	}
	if len(src) > lz4MatchLimit {
		n = lz4Compress(dst[len(dst):len(dst)+room:len(dst)+room], src, &e.table)
	}
	if n == 0 {
		binary.LittleEndian.PutUint32(dst[at:], uint32(len(src))|lz4Raw)
		return append(dst, src...)
	}
	binary.LittleEndian.PutUint32(dst[at:], uint32(n))
	return dst[:len(dst)+n]
}

var errLZ4 = errors.New("lz4")

func lz4Error(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errLZ4, fmt.Errorf(format, args...))
}

// lz4Decode fills dst from one frame. It returns how many bytes it got right
// before an error: of a torn frame that is all up to the tear. Together decodes
// the blocks side by side.
func lz4Decode(dst, src []byte, together bool) (int, error) {
	if len(src) < 7 {
		return 0, lz4Error("frame header: %w", cut(7, int64(len(src))))
	}
	if m := binary.LittleEndian.Uint32(src); m != lz4Magic {
		return 0, lz4Error("frame begins with %#08x", m)
	}
	flags := src[4]
	if flags>>6 != 1 || flags&lz4Dictionary != 0 {
		return 0, lz4Error("frame flags %#02x are not supported", flags)
	}
	head := 7
	if flags&lz4ContentSize != 0 {
		head += 8
	}
	if len(src) < head {
		return 0, lz4Error("frame header: %w", cut(int64(head), int64(len(src))))
	}
	if sum := byte(xxh32(src[4:head-1]) >> 8); sum != src[head-1] {
		return 0, lz4Error("frame header checksum is %#02x, not %#02x", src[head-1], sum)
	}
	n, rest, ok := len(dst), []byte(nil), false
	if together {
		rest, ok = lz4Together(dst, src[head:], flags, src[5])
	}
	if !ok {
		var err error
		if n, rest, err = lz4Blocks(dst, src[head:], flags); err != nil {
			return n, err
		}
	}
	if flags&lz4ContentSum != 0 {
		if len(rest) < 4 {
			return n, lz4Error("content checksum: %w", cut(4, int64(len(rest))))
		}
		if want, got := binary.LittleEndian.Uint32(rest), xxh32(dst[:n]); want != got {
			return n, lz4Error("content checksum is %#08x, not %#08x", got, want)
		}
	}
	if n != len(dst) {
		return n, lz4Error("frame holds %d bytes, the chunk header says %d", n, len(dst))
	}
	return n, nil
}

func lz4Blocks(dst, src []byte, flags byte) (n int, rest []byte, err error) {
	for {
		if len(src) < 4 {
			return n, nil, lz4Error("block length: %w", cut(4, int64(len(src))))
		}
		word := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if word == 0 {
			return n, src, nil
		}
		size := int64(word &^ lz4Raw)
		if size > int64(len(src)) {
			have := int64(len(src))
			if word&lz4Raw != 0 {
				n += copy(dst[n:], src)
			} else {
				n += lz4Torn(dst, n, src)
			}
			return n, nil, lz4Error("block: %w", cut(size, have))
		}
		got, err := lz4OneBlock(dst, n, src[:size], word&lz4Raw != 0, flags)
		if err != nil {
			if word&lz4Raw == 0 {
				n += lz4Torn(dst, n, src[:size]) // up to the damage
			}
			return n, nil, err
		}
		n += got
		src = src[size:]
		if flags&lz4BlockSum != 0 {
			if len(src) < 4 {
				return n, nil, lz4Error("block checksum: %w", cut(4, int64(len(src))))
			}
			src = src[4:]
		}
	}
}

// lz4OneBlock decodes a block to dst[n:].
func lz4OneBlock(dst []byte, n int, block []byte, raw bool, flags byte) (int, error) {
	if raw {
		if len(block) > len(dst)-n {
			return 0, lz4Error("frame holds more than the %d bytes that the chunk header says", len(dst))
		}
		return copy(dst[n:], block), nil
	}
	var got int
	var err error
	if flags&lz4Independent != 0 || n == 0 {
		got, err = lz4.UncompressBlock(block, dst[n:])
	} else {
		got, err = lz4.UncompressBlockWithDict(block, dst[n:], dst[max(0, n-lz4Window):n])
	}
	if err != nil {
		return 0, lz4Error("block: %w", err)
	}
	return got, nil
}
