package place

import (
	"os"
	"sync"

	"rsros/bagstore/internal/disk"
	"rsros/program/space"
)

// rereads are objects that are read more than once. What is fetched of them is kept in temporary files, because the
// cache in memory has no room for it.
var rereads = struct {
	sync.Mutex
	list map[blockKey]*reread
}{list: make(map[blockKey]*reread)}

const (
	// maxReread bounds the temporary file of an object.
	maxReread = 10 << 30
	// rereadCheck is after how many blocks free space is looked at.
	rereadCheck = 64
)

// reread is the temporary file of an object.
type reread struct {
	key   blockKey // without a number
	users int      // guarded by rereads

	mu    sync.Mutex
	file  *os.File        // nil after an error
	slots map[int64]int64 // by the numbers of blocks
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

// rereadOf joins those that read an object again; nil if there are none and it isn't to begin.
func rereadOf(of Info, begin bool) *reread {
	rereads.Lock()
	defer rereads.Unlock()
	key := blockKey{name: of.Name, version: of.Version, size: of.Size}
	r := rereads.list[key]
	if r == nil && begin {
		if f, err := disk.Temp(); err == nil {
			r = &reread{key: key, file: f, slots: make(map[int64]int64)}
			rereads.list[key] = r
		}
	}
	if r != nil {
		r.users++
	}
	return r
}

func (r *reread) close() {
	if r == nil {
		return
	}
	rereads.Lock()
	r.users--
	last := r.users == 0
	if last {
		delete(rereads.list, r.key)
	}
	rereads.Unlock()
	if last {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.end()
	}
}

// end gives the room back. r.mu is held.
func (r *reread) end() {
	if r.file != nil {
		_ = r.file.Close() // it has no name
	}
	r.file, r.slots = nil, nil
}

// load returns a block of n bytes, nil if it isn't kept.
func (r *reread) load(number, n int64) []byte {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	slot, ok := r.slots[number]
	if !ok {
		return nil
	}
	data := make([]byte, n)
	if _, err := r.file.ReadAt(data, slot*blockSize); err != nil {
		return nil
	}
	return data
}

// save keeps a block.
func (r *reread) save(number int64, data []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := int64(len(r.slots))
	if _, is := r.slots[number]; is || r.file == nil || slot == maxReread/blockSize {
		return
	}
	if slot%rereadCheck == 0 {
		if free, err := space.Free(os.TempDir()); err == nil && free < r.key.size { // an output of about this size may need it
			r.end()
			return
		}
	}
	if _, err := r.file.WriteAt(data, slot*blockSize); err != nil {
		r.end() // the disk is full, and others need it
		return
	}
	r.slots[number] = slot
}
