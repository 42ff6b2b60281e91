package place

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"rsros/program/localfile"
)

// rereads are objects that are read more than once. What is fetched of them is kept in temporary files, because the
// cache in memory has no room for it.
var rereads = struct {
	sync.Mutex
	list map[blockKey]*reread
	idle *reread // whole, and without users: commands open a recording several times, one after another
}{list: make(map[blockKey]*reread)}

const (
	// maxReread bounds the temporary file of an object.
	maxReread = 10 << 30
	// rereadCheck is after how many blocks free space is looked at.
	rereadCheck = 64
)

// reread is the temporary file of an object.
type reread struct {
	key      blockKey // without a number
	users    int      // guarded by rereads
	fetching chan struct{}
	whole    atomic.Bool // the file has all blocks, and doesn't change any more

	mu     sync.Mutex
	file   *os.File // sparse; nil after an error
	blocks map[int64]bool
	spare  int64 // bytes that must stay free on the disk
}

// Reread hints that more of an object will be read more than once than fits into memory. What is fetched is kept in a
// temporary file, if there is room, until all files of the object are closed.
func Reread(f File) {
	r, ok := f.(*remote)
	if !ok || r.Size() <= cacheBytes || kept.Load() != nil || r.reread.Load() != nil {
		return
	}
	r.reread.Store(rereadOf(r.cached(), true))
}

// Fetch reads an object whole into a temporary file, which serves all files of the object, also later ones until
// another object needs such a file. It does nothing for a file at a path. An object larger than 10 GiB or than the free
// space is an error.
//
// report, which may be nil, is called last with done == total, also after an error.
func Fetch(ctx context.Context, f File, report func(done, total uint64)) error {
	r, ok := f.(*remote)
	if !ok {
		return nil
	}
	if r.reread.Load() == nil {
		r.reread.Store(rereadOf(r.cached(), true))
	}
	t := r.reread.Load()
	if t == nil {
		return fmt.Errorf("fetch %s: %w", r.Info().Name, errRoom)
	}
	select {
	case t.fetching <- struct{}{}:
		defer func() { <-t.fetching }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if t.whole.Load() {
		return nil
	}
	size := r.Size()
	if free, err := localfile.FreeSpace(os.TempDir()); size > maxReread || err == nil && free < size {
		return fmt.Errorf("fetch %s: %w: it has %d bytes, of at most %d, and %d are free in %s; TMPDIR names another folder: %w",
			r.Info().Name, errRoom, size, int64(maxReread), free, os.TempDir(), ErrUnusable)
	}
	t.mu.Lock()
	t.spare = 0
	t.mu.Unlock()
	if report == nil {
		report = func(uint64, uint64) {}
	}
	defer report(uint64(size), uint64(size))
	block := make([]byte, blockSize)
	for off := int64(0); off < size; off += blockSize {
		b := block[:min(blockSize, size-off)]
		if _, err := Until(ctx, r).ReadAt(b, off); err != nil {
			return err
		}
		if t.save(off/blockSize, b); !t.has(off / blockSize) {
			return fmt.Errorf("fetch %s: %w in %s", r.Info().Name, errRoom, os.TempDir())
		}
		report(uint64(off), uint64(size))
	}
	t.whole.Store(true)
	return nil
}

// rereadOf joins those that read an object again; nil if there are none and it isn't to begin.
func rereadOf(of Info, begin bool) *reread {
	rereads.Lock()
	defer rereads.Unlock()
	key := blockKey{name: of.Name, version: of.Version, size: of.Size}
	r := rereads.list[key]
	if r == nil && begin {
		rereads.idle.drop()
		rereads.idle = nil
		if f, err := localfile.Temp(); err == nil {
			r = &reread{key: key, file: f, blocks: make(map[int64]bool), spare: of.Size, fetching: make(chan struct{}, 1)}
			rereads.list[key] = r
		}
	}
	if r != nil {
		r.users++
	}
	if r == rereads.idle {
		rereads.idle = nil // it has a user again
	}
	return r
}

func (r *reread) close() {
	if r == nil {
		return
	}
	rereads.Lock()
	defer rereads.Unlock()
	r.users--
	switch {
	case r.users > 0:
	case r.whole.Load():
		rereads.idle.drop()
		rereads.idle = r
	default:
		r.drop()
	}
}

// drop ends one without users. rereads is locked.
func (r *reread) drop() {
	if r == nil {
		return
	}
	delete(rereads.list, r.key)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
}

// end gives the room back. r.mu is held.
func (r *reread) end() {
	if r.file != nil {
		_ = r.file.Close() // it has no name
	}
	r.file, r.blocks = nil, nil
}

// load returns a block of n bytes, nil if it isn't kept.
func (r *reread) load(number, n int64) []byte {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.blocks[number] {
		return nil
	}
	data := make([]byte, n)
	if _, err := r.file.ReadAt(data, number*blockSize); err != nil {
		return nil
	}
	return data
}

func (r *reread) has(number int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.blocks[number]
}

// save keeps a block.
func (r *reread) save(number int64, data []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.blocks[number] || r.file == nil || len(r.blocks) == maxReread/blockSize {
		return
	}
	if len(r.blocks)%rereadCheck == 0 {
		// an output of about this size may need it
		if free, err := localfile.FreeSpace(os.TempDir()); err == nil && free < r.spare {
			r.end()
			return
		}
	}
	if _, err := r.file.WriteAt(data, number*blockSize); err != nil {
		r.end() // the disk is full, and others need it
		return
	}
	r.blocks[number] = true
}
