package bagstore

import (
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"
)

// lz4Together fills dst with the blocks of a frame, on all cores. It takes only
// the usual frame: several independent blocks, all whole and all but the last
// of the size that the frame's descriptor says. Of any other it leaves dst
// undefined and says no; lz4Blocks then finds how far the frame is good.
func lz4Together(dst, src []byte, flags, descriptor byte) (rest []byte, ok bool) {
	kind := descriptor >> 4 & 7
	if kind < 4 || flags&lz4Independent == 0 || flags&lz4BlockSum != 0 {
		return nil, false
	}
	size := 1 << (8 + 2*kind) // 64 KiB, 256 KiB, 1 MiB, 4 MiB
	count := (len(dst) + size - 1) / size
	if count < 2 {
		return nil, false
	}
	blocks, rest := lz4Split(src, count)
	if len(blocks) != count {
		return nil, false
	}
	var next, wrong atomic.Int32
	work := func() {
		for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
			part := dst[i*size : min(i*size+size, len(dst))]
			if n, err := lz4OneBlock(part, 0, blocks[i].data, blocks[i].raw, flags); err != nil || n != len(part) {
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

// lz4Part is a block of a frame as it is stored.
type lz4Part struct {
	data []byte
	raw  bool
}

// lz4Split finds the blocks of a frame and what is behind them; none if they
// are more than count or not whole.
func lz4Split(src []byte, count int) (blocks []lz4Part, rest []byte) {
	blocks = make([]lz4Part, 0, count)
	for len(src) >= 4 {
		word := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if word == 0 {
			return blocks, src
		}
		size := int64(word &^ lz4Raw)
		if len(blocks) == count || size > int64(len(src)) {
			break
		}
		blocks = append(blocks, lz4Part{src[:size], word&lz4Raw != 0})
		src = src[size:]
	}
	return nil, nil
}
