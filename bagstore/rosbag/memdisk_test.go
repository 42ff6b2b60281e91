package rosbag

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"

	"rsros/bagstore/internal/bagrecord"
)

// memDisk keeps every write in order, so that a test can simulate a crash after any of them. It can be
// full or fail.
type memDisk struct {
	mu    sync.Mutex
	ops   []diskOp
	data  []byte
	full  int64 // bytes at or after this offset can't be written; 0: no limit
	fail  int   // writes left before all fail; 0: never fail
	calls int
	gate  chan struct{} // if set, writes wait until it is closed
	hook  func()        // if set, called before each write
}

// diskOp is one operation on the disk.
type diskOp struct {
	off      int64
	data     []byte // of a write
	sync     bool
	truncate bool // to off
}

var errDisk = errors.New("the disk failed")

func (d *memDisk) Writev(bufs [][]byte, off int64) error {
	if d.hook != nil {
		d.hook()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	data := bytes.Join(bufs, nil)
	var err error
	if d.calls++; d.fail > 0 && d.calls >= d.fail {
		data, err = data[:len(data)/2], errDisk
	} else if end := off + int64(len(data)); d.full > 0 && end > d.full {
		data, err = data[:max(0, d.full-off)], syscall.ENOSPC
	}
	d.ops = append(d.ops, diskOp{off: off, data: data})
	d.data = put(d.data, off, data)
	return err
}

// start runs writes concurrently, so that they may finish out of order, as on a disk.
func (d *memDisk) Start(bufs [][]byte, off int64, done func(error)) {
	gate := d.gate
	go func() {
		if gate != nil {
			<-gate
		}
		done(d.Writev(bufs, off))
	}()
}

func put(image []byte, off int64, data []byte) []byte {
	if need := int(off) + len(data); need > len(image) {
		image = append(image, make([]byte, need-len(image))...)
	}
	copy(image[off:], data)
	return image
}

func (d *memDisk) Read(p []byte, off int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bagrecord.ReadFull(bytes.NewReader(d.data), p, off)
}

func (d *memDisk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ops = append(d.ops, diskOp{sync: true})
	return nil
}

func (d *memDisk) Truncate(n int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ops = append(d.ops, diskOp{off: n, truncate: true})
	d.data = slices.Clone(d.data[:min(n, int64(len(d.data)))])
	return nil
}

func (d *memDisk) Allocate(int64) error { return nil }
func (d *memDisk) Close() error         { return nil }

func (d *memDisk) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.ops)
}

// crash returns the file as a power cut after n operations may leave it: everything before the last
// sync, and any subset of the later writes' blocks. lost lists the byte ranges that didn't reach the
// disk.
func (d *memDisk) crash(n int, rnd *rand.Rand) (image []byte, lost [][2]int64) {
	safe := 0
	for i, op := range d.ops[:n] {
		if op.sync {
			safe = i
		}
	}
	for _, op := range d.ops[:safe] {
		image = op.apply(image)
	}
	const blockSize = 4096
	keep := rnd.Float64()
	type piece struct {
		off  int64
		data []byte
	}
	var pieces []piece
	for _, op := range d.ops[safe:n] {
		for off, data := op.off, op.data; len(data) > 0; {
			k := min(int64(len(data)), blockSize-off%blockSize)
			pieces = append(pieces, piece{off, data[:k]})
			off, data = off+k, data[k:]
		}
	}
	rnd.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	for _, p := range pieces {
		if rnd.Float64() < keep {
			image = put(image, p.off, p.data)
		} else {
			lost = append(lost, [2]int64{p.off, p.off + int64(len(p.data))})
		}
	}
	return image, lost
}

func (op diskOp) apply(image []byte) []byte {
	switch {
	case op.sync:
		return image
	case op.truncate:
		return image[:min(op.off, int64(len(image)))]
	}
	return put(image, op.off, op.data)
}
