package place

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// diskCache keeps blocks of objects on disk, for later runs and for other programs. An object has a sparse file with a
// slot for each block: the block, padded, and a trailer of magic, length and checksum. A slot that isn't whole is one
// that isn't there, so that programs may write the same file at once, and a damaged file only costs requests.
type diskCache struct {
	dir   string
	limit int64
	warn  func(error)
	off   atomic.Bool // after an error

	mu    sync.Mutex
	used  int64 // bytes of the folder: as measured, and what was added since
	added int64 // since it was measured
}

const (
	keptSuffix  = ".blocks"
	trailerSize = 16
	slotSize    = blockSize + trailerSize
)

var (
	keptMagic  = []byte("rsblock1")
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	kept       atomic.Pointer[diskCache]
)

// KeepIn also keeps fetched blocks in a folder of about limit bytes: above that, the least recently read objects
// are removed. warn is called when the folder can no longer be used; reading continues without it.
func KeepIn(dir string, limit int64, warn func(error)) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := private(dir); err != nil {
		return err
	}
	c := &diskCache{dir: dir, limit: limit, warn: warn}
	if err := c.trim(""); err != nil {
		return err
	}
	kept.Store(c)
	return nil
}

// keptObject is the file of an object in a diskCache; nil is none.
type keptObject struct {
	*os.File
	cache *diskCache
	sum   [sha256.Size]byte // of its name, version and size
}

// object opens the file of an object.
func (c *diskCache) object(of Info) *keptObject {
	if c == nil || c.off.Load() {
		return nil
	}
	o := &keptObject{cache: c, sum: sha256.Sum256(fmt.Appendf(nil, "%q %q %d", of.Name, of.Version, of.Size))}
	f, err := os.OpenFile(filepath.Join(c.dir, fmt.Sprintf("%x%s", o.sum[:20], keptSuffix)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		c.fail(err)
		return nil
	}
	o.File = f
	return o
}

// close records when the object was last used.
func (o *keptObject) close() {
	if o == nil {
		return
	}
	now := time.Now()
	_ = os.Chtimes(o.Name(), now, now) // another program may have removed it
	_ = o.Close()
}

// load returns a block of n bytes, nil if it isn't there.
func (o *keptObject) load(number, n int64) []byte {
	if o == nil {
		return nil
	}
	slot := make([]byte, slotSize)
	if k, _ := o.ReadAt(slot, number*slotSize); k < slotSize {
		return nil
	}
	data, trailer := slot[:n:n], slot[blockSize:]
	if string(trailer[:8]) != string(keptMagic) || int64(binary.LittleEndian.Uint32(trailer[8:])) != n ||
		binary.LittleEndian.Uint32(trailer[12:]) != o.checksum(number, data) {
		return nil
	}
	return data
}

// checksum covers a block and its position.
func (o *keptObject) checksum(number int64, data []byte) uint32 {
	sum := crc32.Update(0, castagnoli, o.sum[:])
	sum = crc32.Update(sum, castagnoli, binary.LittleEndian.AppendUint64(nil, uint64(number)))
	return crc32.Update(sum, castagnoli, data)
}

// save keeps a block.
func (o *keptObject) save(number int64, data []byte) {
	if o == nil || o.cache.off.Load() {
		return
	}
	slot := make([]byte, slotSize)
	copy(slot, data)
	copy(slot[blockSize:], keptMagic)
	binary.LittleEndian.PutUint32(slot[blockSize+8:], uint32(len(data)))
	binary.LittleEndian.PutUint32(slot[blockSize+12:], o.checksum(number, data))
	if _, err := o.WriteAt(slot, number*slotSize); err != nil {
		o.cache.fail(err)
		return
	}
	if err := o.cache.grow(filepath.Base(o.Name())); err != nil {
		o.cache.fail(err)
	}
}

// grow counts a block, and makes room if the folder is too large. Other programs add to the folder, too, so it is
// measured again whenever a part of the limit has been added.
func (c *diskCache) grow(using string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used, c.added = c.used+slotSize, c.added+slotSize
	if c.used <= c.limit && c.added < max(c.limit/16, 16<<20) {
		return nil
	}
	return c.trim(using)
}

// trim measures the folder, and removes the least recently used objects, even one in use if necessary. The
// caller must hold c.mu or be the only user of c.
func (c *diskCache) trim(using string) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	var list []fs.FileInfo
	c.used, c.added = 0, 0
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() || !strings.HasSuffix(e.Name(), keptSuffix) {
			continue // another program has removed it, or it isn't ours
		}
		c.used += stored(st)
		list = append(list, st)
	}
	slices.SortFunc(list, func(a, b fs.FileInfo) int {
		switch using {
		case a.Name():
			return 1
		case b.Name():
			return -1
		}
		return a.ModTime().Compare(b.ModTime())
	})
	for _, st := range list {
		if c.used <= c.limit {
			break
		}
		if err := os.Remove(filepath.Join(c.dir, st.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		c.used -= stored(st)
	}
	return nil
}

// fail ends the use of the folder.
func (c *diskCache) fail(err error) {
	if !c.off.Swap(true) {
		c.warn(err)
	}
}
