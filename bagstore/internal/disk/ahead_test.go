package disk

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"

	"rsros/test/need"
)

// memFile is a file in memory that records reads past the page cache.
type memFile struct {
	mu      sync.Mutex
	data    []byte
	cached  func(off int64) bool // pages in the cache; nil: none
	bad     int64                // bytes at or after it can't be read; 0: all can
	refuse  error                // of Start
	fails   error                // of reads past the cache
	gate    chan struct{}        // if set, reads wait until it is closed
	started []int64
	usual   int // bytes read through the cache
	closed  bool
}

var errBad = errors.New("bad sector")

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.read(p, off)
	f.usual += n
	return n, err
}

func (f *memFile) read(p []byte, off int64) (int, error) {
	if f.bad > 0 && off+int64(len(p)) > f.bad {
		n, _ := bytes.NewReader(f.data[:f.bad]).ReadAt(p, off)
		return n, errBad
	}
	return bytes.NewReader(f.data).ReadAt(p, off)
}

func (f *memFile) Cached(off int64, _ int) bool { return f.cached != nil && f.cached(off) }

func (f *memFile) Start(p []byte, off int64, done func(int, error)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != nil {
		return f.refuse
	}
	f.started = append(f.started, off)
	go func() {
		if f.gate != nil {
			<-f.gate
		}
		f.mu.Lock()
		n, err := f.read(p, off)
		if f.fails != nil {
			n, err = 0, f.fails
		}
		f.mu.Unlock()
		if errors.Is(err, io.EOF) {
			err = nil
		}
		done(n, err)
	}()
	return nil
}

func (f *memFile) Close() error {
	f.closed = true
	return nil
}

func (f *memFile) starts() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.started)
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// TestAhead reads a file at random and from end to end, in several goroutines, with any part of it in
// the cache.
func TestAhead(t *testing.T) {
	const block = 512
	data := randomBytes(39*block + 35)
	for name, cached := range map[string]func(int64) bool{
		"cold": nil, "cached": func(int64) bool { return true }, "mixed": func(off int64) bool { return off/int64(block)%3 == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			f := &memFile{data: data, cached: cached}
			a := NewAhead(f, int64(len(data)), block, true)
			first := data[:min(len(data), 20_000)] // a larger part takes long
			if err := iotest.TestReader(io.NewSectionReader(a, 0, int64(len(first))), first); err != nil {
				t.Error(err)
			}
			if name == "cold" && f.usual > 0 {
				t.Errorf("%d bytes were read as usual", f.usual)
			}
			var all sync.WaitGroup
			for i := range 4 {
				all.Go(func() {
					rnd := rand.New(rand.NewPCG(uint64(i), 3))
					for range 100 + 200_000/block {
						off, p := rnd.IntN(len(data)), make([]byte, rnd.IntN(16*block))
						n, err := a.ReadAt(p, int64(off))
						if want := min(len(p), len(data)-off); n != want || !bytes.Equal(p[:n], data[off:off+n]) {
							t.Errorf("%d bytes at %d: got %d, %v", len(p), off, n, err)
						} else if n == len(p) && err != nil || n < len(p) && err != io.EOF { //nolint:errorlint // the contract of io.ReaderAt
							t.Errorf("%d bytes at %d: %v", len(p), off, err)
						}
					}
				})
			}
			all.Wait()
			if err := a.Close(); err != nil || !f.closed {
				t.Errorf("closed: %v, %v", f.closed, err)
			}
			if started := len(f.started) > 0; started == (name == "cached") {
				t.Errorf("%d reads past the cache", len(f.started))
			}
		})
	}
}

// TestAheadWhen checks that sequential reading starts reading ahead, and that small or scattered reads
// don't.
func TestAheadWhen(t *testing.T) {
	const image, end = 1_843_200, 40 << 20
	data := make([]byte, end)
	for _, c := range []struct {
		name  string
		read  func(a *Ahead, at func(off, n int))
		ahead bool
	}{
		{"records in a row", func(_ *Ahead, at func(off, n int)) {
			for off := 0; off < end/2; off += 16 << 10 {
				at(off, 16<<10)
			}
		}, true},
		{"images, each after its index and its header", func(_ *Ahead, at func(off, n int)) {
			for off := 0; off+2*image < end; off += image + 5000 {
				at(off+image, 4000)
				at(off, 100)
				at(off+100, image-100)
			}
		}, true},
		{"every second image", func(_ *Ahead, at func(off, n int)) {
			for off := 0; off+image < end; off += 2 * image {
				at(off, image)
			}
		}, true},
		{"headers of images", func(_ *Ahead, at func(off, n int)) {
			for off := 0; off+image < end; off += image {
				at(off, 16<<10)
			}
		}, false},
		{"records far apart", func(_ *Ahead, at func(off, n int)) {
			for _, i := range []int{3, 0, 2, 1, 3, 0, 2, 1} {
				at(i*10<<20, 60<<10)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &memFile{data: data}
			a := NewAhead(f, end, aheadBlock, false)
			c.read(a, func(off, n int) {
				if _, err := a.ReadAt(make([]byte, n), int64(off)); err != nil {
					t.Fatal(err)
				}
			})
			need.Must(t, a.Close())
			if (len(f.started) > 0) != c.ahead {
				t.Errorf("%d blocks were read ahead", len(f.started))
			}
			seen := make(map[int64]bool)
			for _, off := range f.started {
				if seen[off] {
					t.Errorf("block at %d was read twice", off)
				}
				seen[off] = true
			}
		})
	}
}

// TestAheadErrors checks that what can't be read past the cache is read as usual, and that errors are
// those of ordinary reads, at the same bytes.
func TestAheadErrors(t *testing.T) {
	data := randomBytes(20_000)
	for _, c := range []struct {
		name string
		f    *memFile
		good int // bytes that can be read
		most int // reads past the cache; 0: any number
	}{
		{"a bad sector", &memFile{bad: 9_000}, 9_000, 0},
		{"only reads past the cache fail", &memFile{fails: errBad}, len(data), 0},
		{"the system starts none", &memFile{refuse: errors.ErrUnsupported}, len(data), 0},
		{"the file system refuses the first", &memFile{fails: syscall.EINVAL}, len(data), aheadDepth + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.f.data = data
			a := NewAhead(c.f, int64(len(data)), 512, true)
			p := make([]byte, len(data))
			n, err := a.ReadAt(p, 0)
			if n != c.good || (err != nil) != (n < len(p)) || n < len(p) && !errors.Is(err, errBad) || !bytes.Equal(p[:n], data[:n]) {
				t.Errorf("%d bytes, %v", n, err)
			}
			if c.most > 0 && c.f.starts() > c.most {
				t.Errorf("%d reads past the cache", c.f.starts())
			}
			if n, err := a.ReadAt(p[:10], 100); n != 10 || err != nil || !bytes.Equal(p[:10], data[100:110]) {
				t.Errorf("after the error: %d bytes, %v", n, err)
			}
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAheadOtherSize checks that the file may have grown or shrunk since it was opened.
func TestAheadOtherSize(t *testing.T) {
	data := randomBytes(10_000)
	for _, size := range []int64{1, 511, 512, 5_000, 9_999, 10_001, 10_240, 30_000} {
		f := &memFile{data: data}
		a := NewAhead(f, size, 512, true)
		p := make([]byte, 20_000)
		n, err := a.ReadAt(p, 0)
		if n != len(data) || err != io.EOF || !bytes.Equal(p[:n], data) { //nolint:errorlint // the contract of io.ReaderAt
			t.Errorf("opened with %d: %d bytes, %v", size, n, err)
		}
		for _, off := range f.started {
			if off >= size {
				t.Errorf("opened with %d: block at %d was read ahead", size, off)
			}
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestAheadClose checks that reads in progress own their memory until they finish.
func TestAheadClose(t *testing.T) {
	f := &memFile{data: randomBytes(10_000), gate: make(chan struct{}), cached: func(off int64) bool { return off == 0 }}
	a := NewAhead(f, 10_000, 512, true)
	if _, err := a.ReadAt(make([]byte, 100), 0); err != nil { // is cached; the rest isn't
		t.Fatal(err)
	}
	if n := f.starts(); n != aheadDepth {
		t.Fatalf("%d reads are under way", n)
	}
	closed := make(chan error)
	go func() { closed <- a.Close() }()
	select {
	case <-closed:
		t.Fatal("closed while reads are under way")
	default:
	}
	close(f.gate)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Errorf("a second time: %v", err)
	}
}
