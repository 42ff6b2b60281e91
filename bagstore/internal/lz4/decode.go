package lz4

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

var errFrame = errors.New("lz4")

// truncated is the error of input that ends before want more bytes.
func truncated(want, have int64) error {
	return fmt.Errorf("%w: needs %d bytes, %d are there", io.ErrUnexpectedEOF, want, have)
}

func frameError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errFrame, fmt.Errorf(format, args...))
}

// Decode fills dst with the content of one frame and returns the number of valid bytes. After an
// error, the bytes before the damage or tear are valid. With parallel it decodes blocks on all
// cores.
func Decode(dst, src []byte, parallel bool) (int, error) {
	if len(src) < 7 {
		return 0, frameError("frame header: %w", truncated(7, int64(len(src))))
	}
	if m := binary.LittleEndian.Uint32(src); m != magic {
		return 0, frameError("frame begins with %#08x", m)
	}
	flags := src[4]
	if flags>>6 != 1 || flags&flagDictionary != 0 {
		return 0, frameError("frame flags %#02x are not supported", flags)
	}
	head := 7
	if flags&flagContentSize != 0 {
		head += 8
	}
	if len(src) < head {
		return 0, frameError("frame header: %w", truncated(int64(head), int64(len(src))))
	}
	if sum := byte(xxh32(src[4:head-1]) >> 8); sum != src[head-1] {
		return 0, frameError("frame header checksum is %#02x, not %#02x", src[head-1], sum)
	}
	n, rest, ok := len(dst), []byte(nil), false
	if parallel {
		rest, ok = decodeParallel(dst, src[head:], flags, src[5])
	}
	if !ok {
		var err error
		if n, rest, err = decodeBlocks(dst, src[head:], flags); err != nil {
			return n, err
		}
	}
	if flags&flagContentSum != 0 {
		if len(rest) < 4 {
			return n, frameError("content checksum: %w", truncated(4, int64(len(rest))))
		}
		if want, got := binary.LittleEndian.Uint32(rest), xxh32(dst[:n]); want != got {
			return n, frameError("content checksum is %#08x, not %#08x", got, want)
		}
	}
	if n != len(dst) {
		return n, frameError("frame holds %d bytes, the chunk header says %d", n, len(dst))
	}
	return n, nil
}

// decodeBlocks decodes blocks up to the end mark. It returns the number of valid bytes, and what
// follows the mark.
func decodeBlocks(dst, src []byte, flags byte) (n int, rest []byte, err error) {
	for {
		if len(src) < 4 {
			return n, nil, frameError("block length: %w", truncated(4, int64(len(src))))
		}
		word := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if word == 0 {
			return n, src, nil
		}
		size := int64(word &^ storedBit)
		whole := size <= int64(len(src))
		have := min(size, int64(len(src)))
		n, err = decodeBlock(dst, n, src[:have], word&storedBit != 0, flags)
		if !whole {
			return n, nil, frameError("block: %w", truncated(size, have))
		}
		if err != nil {
			return n, nil, err
		}
		src = src[size:]
		if flags&flagBlockSum != 0 {
			if len(src) < 4 {
				return n, nil, frameError("block checksum: %w", truncated(4, int64(len(src))))
			}
			src = src[4:]
		}
	}
}

// decodeBlock decodes a block to dst[n:] and returns how many bytes of dst are good.
func decodeBlock(dst []byte, n int, block []byte, raw bool, flags byte) (int, error) {
	if raw {
		got := copy(dst[n:], block)
		if got < len(block) {
			return n + got, tooLarge(dst)
		}
		return n + got, nil
	}
	low := 0
	if flags&flagIndependent != 0 {
		low = n
	}
	if got, ok := wholeBlock(dst, low, n, block); ok {
		return n + got, nil
	}
	return decodeSequences(dst, low, n, block)
}
