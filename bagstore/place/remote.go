package place

import (
	"context"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"rsros/bagstore/place/internal/server"
)

const (
	// maxRange bounds a request.
	maxRange = 8 << 20
	// maxAhead bounds what is read ahead of sequential reading: the requests of a file that read it.
	maxAhead = 3 * maxRange
	// inFlight is the number of requests for wanted ranges at a time.
	inFlight = 4
	// maxWanted bounds the blocks of ranges that wait for a request, so that they are read before they
	// are dropped. A single range may have more.
	maxWanted = cacheBytes / blockSize / 2
)

// remote reads an object by blocks of the cache.
type remote struct {
	Object
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup // for requests
	failed atomic.Pointer[Error]
	reread atomic.Pointer[reread] // nil: it is read once, or fits into memory
	closed sync.Once

	mu      sync.Mutex
	next    int64  // end of the last read
	ahead   int64  // bytes to read ahead; 0: reading isn't sequential
	asked   int64  // end of the whole ranges that were asked for ahead; 0: none
	wanted  []span // blocks that are wanted and not asked for
	waiting int64  // how many
	workers int
}

// opened is the number of objects that share the cache.
var opened atomic.Int64

// share returns how much of the cache one object may have for reading ahead, and how much is asked for at a time.
func share() (ahead, step int64) {
	ahead = max(2*blockSize, min(maxAhead, cacheBytes/2/max(1, opened.Load())))
	return ahead, min(maxRange, ahead/2)
}

// span is a range of blocks.
type span struct{ from, to int64 }

func newRemote(ctx context.Context, o Object) *remote {
	r := &remote{Object: o}
	opened.Add(1)
	r.ctx, r.cancel = context.WithCancel(ctx)
	if h, ok := o.(Header); ok {
		cache.keep(r.cached(), h.Head())
	}
	r.reread.Store(rereadOf(r.cached(), false))
	return r
}

func (r *remote) Size() int64 { return r.Info().Size }

// cached describes the object in the cache, where a query tells objects apart.
func (r *remote) cached() Info {
	info := r.Info()
	info.Name = secretURL(info.Name)
	return info
}

// ReadAt is that of an io.ReaderAt. After an error of the place it returns that error.
func (r *remote) ReadAt(p []byte, off int64) (n int, err error) {
	size := r.Size()
	if off < 0 || off >= size {
		return 0, io.EOF
	}
	if file := r.fetched(); file != nil {
		return io.NewSectionReader(file, 0, size).ReadAt(p, off)
	}
	want := int(min(int64(len(p)), size-off))
	more := r.sequential(off, want)
	for n < want {
		if failed := r.failed.Load(); failed != nil {
			return n, failed
		}
		k, err := r.readBlock(p[n:want], off+int64(n), off+int64(want)+more)
		if n += k; err != nil {
			return n, r.fail(off+int64(n), err)
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// fetched returns the temporary file of Fetch, nil if there is none.
func (r *remote) fetched() *os.File {
	if t := r.reread.Load(); t != nil && t.whole.Load() {
		return t.file
	}
	return nil
}

// sequential returns how much to read ahead of a read. After a whole step, the next ones are wanted
// before they are read, so that the link isn't idle between two requests.
func (r *remote) sequential(off int64, n int) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case off < r.next-blockSize || off > r.next+blockSize:
		r.ahead, r.asked = 0, 0
	case off+int64(n) > r.next:
		most, step := share()
		r.ahead = min(max(2*r.ahead, int64(n), blockSize), step)
		for r.asked > 0 && r.asked < min(r.Size(), off+most-step) {
			r.want(r.asked, step)
			r.asked += step
		}
	}
	r.next = max(off+int64(n), min(r.next, off+int64(n)+blockSize))
	return r.ahead
}

// readBlock reads from one block. If it isn't there, up to end is asked for.
func (r *remote) readBlock(p []byte, off, end int64) (int, error) {
	b, missing := cache.find(r.cached(), span{off / blockSize, (min(end, r.Size()) + blockSize - 1) / blockSize})
	if len(missing) > 0 {
		r.follow(missing)
		r.wait.Go(func() { r.fetch(missing) })
	}
	select {
	case <-b.done:
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
	if b.err != nil {
		if Ended(b.err) && r.ctx.Err() == nil {
			return 0, nil // another File that had asked for it was closed
		}
		return 0, b.err
	}
	return b.copy(p, int(off%blockSize)), nil
}

// follow notes where the next step begins, if the blocks that are asked for are one.
func (r *remote) follow(missing []*block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, step := share(); r.ahead == step && int64(len(missing)) >= step/blockSize {
		r.asked = (missing[len(missing)-1].key.number + 1) * blockSize
	}
}

func (r *remote) fail(off int64, err error) error {
	r.failed.CompareAndSwap(nil, &Error{r.Info().Name, off, err})
	return r.failed.Load()
}

// Want starts requests for large ranges. Ranges that follow each other become one.
func (r *remote) Want(off, n int64) {
	if r.fetched() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.want(off, n)
}

// want is Want with r.mu held.
func (r *remote) want(off, n int64) {
	n = min(n, r.Size()-off)
	if off < 0 || n <= 0 {
		return
	}
	w := span{off / blockSize, (off + n + blockSize - 1) / blockSize}
	switch last := len(r.wanted) - 1; {
	case last >= 0 && w.from >= r.wanted[last].from && w.from <= r.wanted[last].to+1:
		more := max(0, w.to-r.wanted[last].to)
		r.wanted[last].to += more
		r.waiting += more
	case r.waiting < maxWanted:
		r.wanted = append(r.wanted, w)
		r.waiting += w.to - w.from
	}
	if r.workers < inFlight && r.ctx.Err() == nil {
		r.workers++
		r.wait.Go(r.work)
	}
}

// Has implements File.
func (r *remote) Has(off, n int64) bool {
	n = min(n, r.Size()-off)
	return off < 0 || n <= 0 || cache.has(r.cached(), span{off / blockSize, (off + n + blockSize - 1) / blockSize})
}

// work asks for wanted ranges until there are none.
func (r *remote) work() {
	for {
		w, ok := r.take()
		if !ok {
			return
		}
		for w.from < w.to {
			_, missing := cache.find(r.cached(), w)
			if len(missing) > 0 {
				r.fetch(missing)
			}
			w.from += max(1, int64(len(missing)))
		}
	}
}

func (r *remote) take() (w span, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wanted) == 0 || r.ctx.Err() != nil {
		r.workers--
		return w, false
	}
	w = r.wanted[0]
	if most := w.from + maxRange/blockSize; w.to > most {
		r.wanted[0].from, w.to = most, most
	} else {
		r.wanted = r.wanted[1:]
	}
	r.waiting -= w.to - w.from
	return w, true
}

// fetch reads blocks that follow each other, from the disk or the store. Those that it can't read have an error.
func (r *remote) fetch(list []*block) {
	disk := kept.Load().object(r.cached())
	defer disk.close()
	list = r.load(list, disk)
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].key.number == list[n-1].key.number+1 {
			n++
		}
		left, err := r.fill(list[:n], disk)
		for _, b := range left {
			cache.fail(b, err)
		}
		list = list[n:]
	}
}

// load fills the blocks that are on disk, and returns the others.
func (r *remote) load(list []*block, disk *keptObject) (rest []*block) {
	again := r.reread.Load()
	if disk == nil && again == nil {
		return list
	}
	for _, b := range list {
		n := min(blockSize, r.Size()-b.key.number*blockSize)
		data := again.load(b.key.number, n)
		if data == nil {
			data = disk.load(b.key.number, n)
		}
		if data != nil {
			traffic.kept.Add(int64(len(data)))
			cache.fill(b, data)
		} else {
			rest = append(rest, b)
		}
	}
	return rest
}

// fill fills blocks, and returns those that it can't fill with the reason.
func (r *remote) fill(list []*block, disk *keptObject) ([]*block, error) {
	err := retry(r.ctx, func() (moved bool, err error) {
		before := len(list)
		list, err = r.request(list, disk)
		return len(list) < before, err
	})
	return list, err
}

// request asks for the blocks once. It returns those that it hasn't filled.
func (r *remote) request(list []*block, disk *keptObject) ([]*block, error) {
	off := list[0].key.number * blockSize
	n := min(int64(len(list))*blockSize, r.Size()-off)
	ctx, moved, done := server.Within(r.ctx, server.Silence)
	defer done()
	traffic.requests.Add(1)
	in, err := r.Range(ctx, off, n)
	if err != nil {
		return list, cause(ctx, err)
	}
	defer in.Close() //nolint:errcheck // only read
	for len(list) > 0 {
		data := make([]byte, min(blockSize, n))
		k, err := io.ReadFull(in, data)
		moved()
		traffic.fetched.Add(int64(k))
		if err != nil {
			return list, cause(ctx, err)
		}
		cache.fill(list[0], data)
		disk.save(list[0].key.number, data)
		r.reread.Load().save(list[0].key.number, data)
		list, n = list[1:], n-int64(k)
	}
	return nil, nil
}

func (r *remote) Close() error {
	r.closed.Do(func() { opened.Add(-1) })
	r.cancel()
	r.wait.Wait()
	r.reread.Swap(nil).close()
	if c, ok := r.Object.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
