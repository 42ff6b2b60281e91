package lz4

import (
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"
)

// decodeParallel fills dst with the blocks of a frame on all cores and returns what follows the end
// mark. ok is false, and dst undefined, for all but the usual frame: several independent, whole
// blocks, all but the last of the nominal size. decodeBlocks then finds the damage.
func decodeParallel(dst, src []byte, flags, descriptor byte) (rest []byte, ok bool) {
	kind := descriptor >> 4 & 7
	if kind < 4 || flags&flagIndependent == 0 || flags&flagBlockSum != 0 {
		return nil, false
	}
	size := 1 << (8 + 2*kind) // 64 KiB, 256 KiB, 1 MiB, 4 MiB
	count := (len(dst) + size - 1) / size
	if count < 2 {
		return nil, false
	}
	blocks, rest := splitBlocks(src, count)
	if len(blocks) != count {
		return nil, false
	}
	var next, wrong atomic.Int32
	work := func() {
		for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
			part := dst[i*size : min(i*size+size, len(dst))]
			if n, err := decodeBlock(part, 0, blocks[i].data, blocks[i].raw, flags); err != nil || n != len(part) {
				wrong.Store(1)
			}
		}
	}
	var wait sync.WaitGroup
	for range min(count, runtime.GOMAXPROCS(0)) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	return rest, wrong.Load() == 0
}

// storedBlock is a block of a frame as it is stored.
type storedBlock struct {
	data []byte
	raw  bool
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
		blocks = append(blocks, storedBlock{src[:size], word&storedBit != 0})
		src = src[size:]
	}
	return nil, nil
}
