package lz4

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

var errFrame = errors.New("lz4")

// truncated is the error of input that ends before want more bytes.
func truncated(want, have int64) error {
	return fmt.Errorf("%w: needs %d bytes, %d are there", io.ErrUnexpectedEOF, want, have)
}

func frameError(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errFrame, fmt.Errorf(format, args...))
}

// Decode fills dst with the content of one frame and returns the number of valid bytes. After an error, the bytes
// before the damage or tear are valid. With parallel it decodes blocks on all cores.
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
	n, rest, sum, ok := len(dst), []byte(nil), uint32(0), false
	if parallel {
		rest, sum, ok = decodeParallel(dst, src[head:], flags, src[5])
	}
	if !ok {
		var err error
		if n, rest, err = decodeBlocks(dst, src[head:], flags); err != nil {
			return n, err
		}
		if flags&flagContentSum != 0 {
			sum = xxh32(dst[:n])
		}
	}
	if flags&flagContentSum != 0 {
		if len(rest) < 4 {
			return n, frameError("content checksum: %w", truncated(4, int64(len(rest))))
		}
		if want := binary.LittleEndian.Uint32(rest); want != sum {
			return n, frameError("content checksum is %#08x, not %#08x", sum, want)
		}
	}
	if n != len(dst) {
		return n, frameError("frame holds %d bytes, the chunk header says %d", n, len(dst))
	}
	return n, nil
}

// decodeBlocks decodes blocks up to the end mark. It returns the number of valid bytes, and what follows the mark.
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

// decodeParallel fills dst with the blocks of a frame on all cores and returns what follows the end mark, and the
// content's checksum if the frame has one. ok is false, and dst undefined, for all but the usual frame: several
// independent, whole blocks, all but the last of the nominal size. decodeBlocks then finds the damage.
func decodeParallel(dst, src []byte, flags, descriptor byte) (rest []byte, sum uint32, ok bool) {
	kind := descriptor >> 4 & 7
	if kind < 4 || flags&flagIndependent == 0 || flags&flagBlockSum != 0 {
		return nil, 0, false
	}
	size := 1 << (8 + 2*kind) // 64 KiB, 256 KiB, 1 MiB, 4 MiB
	count := (len(dst) + size - 1) / size
	if count < 2 {
		return nil, 0, false
	}
	blocks, rest := splitBlocks(src, count)
	if len(blocks) != count {
		return nil, 0, false
	}
	d := blockDecoder{dst: dst, size: size, flags: flags, blocks: blocks}
	var wait sync.WaitGroup
	for range min(count, runtime.GOMAXPROCS(0)) - 1 {
		wait.Go(func() {
			for d.decodeNext() {
			}
		})
	}
	if flags&flagContentSum == 0 {
		for d.decodeNext() {
		}
		wait.Wait()
		return rest, 0, !d.wrong.Load()
	}
	// The checksum can only be computed in order, by one goroutine: it follows the others.
	x, summed := newXXH32(), 0
	for more := true; more; more = d.decodeNext() {
		for ; summed < count-1 && blocks[summed].done.Load(); summed++ {
			x.add(d.part(summed))
		}
	}
	wait.Wait()
	tail := x.add(dst[summed*size:])
	return rest, x.sum(tail), !d.wrong.Load()
}

// blockDecoder decodes the blocks of a frame, each by the goroutine that takes it.
type blockDecoder struct {
	dst    []byte
	size   int
	flags  byte
	blocks []storedBlock
	taken  atomic.Int32
	wrong  atomic.Bool // a block is damaged or doesn't fill its part
}

// part is the part of dst for a block.
func (d *blockDecoder) part(i int) []byte { return d.dst[i*d.size : min(i*d.size+d.size, len(d.dst))] }

// decodeNext decodes a block that nobody has taken. It returns false if there is none.
func (d *blockDecoder) decodeNext() bool {
	i := int(d.taken.Add(1)) - 1
	if i >= len(d.blocks) {
		return false
	}
	part, block := d.part(i), &d.blocks[i]
	if n, err := decodeBlock(part, 0, block.data, block.raw, d.flags); err != nil || n != len(part) {
		d.wrong.Store(true)
	}
	block.done.Store(true)
	return true
}

// storedBlock is a block of a frame as it is stored.
type storedBlock struct {
	data []byte
	raw  bool
	done atomic.Bool // it was decoded
}

// splitBlocks returns the blocks of a frame and what follows the end mark. It returns no blocks if
// there are more than count or one is cut off.
func splitBlocks(src []byte, count int) (blocks []storedBlock, rest []byte) {
	blocks = make([]storedBlock, 0, count)
	for len(src) >= 4 {
		word := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if word == 0 {
			return blocks, src
		}
		size := int64(word &^ storedBit)
		if len(blocks) == count || size > int64(len(src)) {
			break
		}
		blocks = append(blocks, storedBlock{data: src[:size], raw: word&storedBit != 0})
		src = src[size:]
	}
	return nil, nil
}

// decodeSequences decodes a block to dst[n:] and returns the number of valid bytes of dst. Matches
// reach back to dst[low]. Up to 64 bytes after the valid ones are overwritten.
//
// A sequence is a token (two lengths of 4 bits), literals, a 2-byte distance back, and longer
// lengths as bytes of 255 and a last one. The last sequence has only literals.
func decodeSequences(dst []byte, low, n int, src []byte) (int, error) {
	for at := 0; at < len(src); {
		if n, at = fastSequences(dst, src, low, n, at); at == len(src) {
			break
		}
		token := int(src[at])
		literals, next, ok := readLength(token>>4, src, at+1)
		k := min(literals, len(src)-next, len(dst)-n)
		copy(dst[n:], src[next:next+k])
		n, next = n+k, next+k
		switch {
		case k < literals && n == len(dst):
			return n, tooLarge(dst)
		case !ok || k < literals:
			return n, sequenceError(at, io.ErrUnexpectedEOF)
		case next == len(src):
			return n, nil
		case next+2 > len(src):
			return n, sequenceError(at, io.ErrUnexpectedEOF)
		}
		back := int(src[next]) | int(src[next+1])<<8
		match, next, ok := readLength(token&15, src, next+2)
		switch {
		case !ok:
			return n, sequenceError(at, io.ErrUnexpectedEOF)
		case back == 0 || back > n-low:
			return n, frameError("block: the match of the sequence at %d is %d bytes back of %d", at, back, n-low)
		}
		end := min(n+match+minMatch, len(dst))
		cut := end-n < match+minMatch
		// A match may reach into what it makes: what is there is copied, and what is there then.
		for from := n - back; n < end; {
			n += copy(dst[n:end], dst[from:n])
		}
		if cut {
			return n, tooLarge(dst)
		}
		at = next
	}
	return n, nil
}

func sequenceError(at int, err error) error { return frameError("block: sequence at %d: %w", at, err) }

func tooLarge(dst []byte) error {
	return frameError("frame holds more than the %d bytes that the chunk header says", len(dst))
}

// mostLength bounds a length, so that sums of some don't overflow 32 bits. Chunks are smaller.
const mostLength = 1 << 29

// readLength adds the bytes from src[at:] to a length whose 4 bits are set, up to mostLength, and
// returns where they end.
func readLength(n int, src []byte, at int) (int, int, bool) {
	if n < 15 {
		return n, at, true
	}
	for i, b := range src[at:] {
		n = min(n+int(b), mostLength)
		if b != 255 {
			return n, at + i + 1, true
		}
	}
	return 0, at, false
}
