package sqlite

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// vfsName is how databases name the readers below to SQLite.
const vfsName = "rs-ros-node"

// readers is the file system that SQLite sees: databases being read, under names that
// nobody else uses.
type readers struct {
	open sync.Map // name → source
	next atomic.Uint64
}

var files = sync.OnceValue(func() *readers {
	r := &readers{}
	vfs.Register(vfsName, r)
	return r
})

// source is a database file: size may be more than r has, see [Open].
type source struct {
	r    io.ReaderAt
	size int64
}

// add makes a database visible to SQLite and returns its name.
func (f *readers) add(s source) string {
	name := fmt.Sprint("db", f.next.Add(1))
	f.open.Store(name, s)
	return name
}

func (f *readers) remove(name string) { f.open.Delete(name) }

// Open refuses everything that isn't a database of ours: journals, temporary files
// and what a schema attaches.
func (f *readers) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	s, ok := f.open.Load(name)
	if !ok || flags&vfs.OPEN_MAIN_DB == 0 {
		return nil, flags, sqlite3.CANTOPEN
	}
	return file{s.(source)}, flags | vfs.OPEN_READONLY, nil
}

func (f *readers) Delete(string, bool) error                       { return sqlite3.IOERR_DELETE }
func (f *readers) Access(string, vfs.AccessFlag) (bool, error)     { return false, nil }
func (f *readers) FullPathname(name string) (path string, _ error) { return name, nil }

// file is an open database. It says that it is immutable, so SQLite takes no locks and
// looks for no journal.
type file struct{ source }

func (f file) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.r.ReadAt(p, off)
	if err == nil || err == io.EOF { //nolint:errorlint // io.ReaderAt returns it as it is
		switch {
		case n == len(p):
			return n, nil
		case off+int64(len(p)) <= f.size: // a torn file lacks it: nobody shall take zeros for data
			return 0, sqlite3.IOERR_READ
		}
		clear(p[n:])
		return n, io.EOF
	}
	return n, err
}

func (f file) Size() (int64, error)                    { return f.size, nil }
func (f file) Close() error                            { return nil }
func (f file) WriteAt([]byte, int64) (int, error)      { return 0, sqlite3.IOERR_WRITE }
func (f file) Truncate(int64) error                    { return sqlite3.IOERR_TRUNCATE }
func (f file) Sync(vfs.SyncFlag) error                 { return sqlite3.IOERR_FSYNC }
func (f file) Lock(vfs.LockLevel) error                { return sqlite3.IOERR_LOCK }
func (f file) Unlock(vfs.LockLevel) error              { return sqlite3.IOERR_UNLOCK }
func (f file) CheckReservedLock() (held bool, _ error) { return false, nil }
func (f file) SectorSize() int                         { return 0 }

func (f file) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_IMMUTABLE | vfs.IOCAP_SUBPAGE_READ
}
