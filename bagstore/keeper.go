package bagstore

import (
	"os"
	"sync"
	"time"

	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/tail"
)

// keepEvery is how often a keeper looks at its Writer. What a chunk holds when the
// keeper sees it for the second time is in the tail file: at most two periods after it
// was written, or three if a chunk before it is still on its way to the disk. A chunk
// that fills up faster is never copied.
const keepEvery = 30 * time.Millisecond

// ErrGone: the file that is being recorded was deleted, replaced or truncated by
// somebody else.
var ErrGone = disk.ErrGone

// keeper sees to it, in a goroutine of its own, that a kill costs nothing: it puts open
// chunks into the tail file, has staged bytes written, makes checkpoints while no
// messages come, and notices when somebody else takes the file away.
type keeper struct {
	w      *Writer
	f      *os.File // for Stat only
	path   string
	follow bool
	tail   *tail.File
	stop   chan struct{}
	wait   sync.WaitGroup
	seen   uint64 // number of the open chunk at the last look; 0: it was empty
	safe   uint64 // number of the last chunk up to which all are in the bag's or the tail file
}

func newKeeper(w *Writer, f *os.File, path string) *keeper {
	k := &keeper{w: w, f: f, path: path, follow: w.o.FollowSymlink, stop: make(chan struct{}),
		tail: tail.New(tail.Path(path, w.o.tail), w.o.tail)}
	k.wait.Go(k.run)
	return k
}

func (k *keeper) run() {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-k.stop:
			return
		case <-tick.C:
			k.look()
		}
	}
}

// close ends the goroutine. No chunk is open any more.
func (k *keeper) close() {
	close(k.stop)
	k.wait.Wait()
}

func (k *keeper) look() {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done || w.c.failed() != nil {
		return
	}
	if err := k.gone(); err != nil {
		w.c.fail(err)
		return
	}
	committed := w.c.committed.Load()
	w.sealed = dropWritten(w.sealed, committed)
	open := w.number()
	if w.o.Sink != Buffered {
		// With compression another goroutine flushes, before the next look.
		w.c.flushSoon(open <= k.seen+1 || len(w.sealed) > 0 && w.sealed[0].number <= k.seen)
	}
	if w.c.written.Load() <= w.c.inFile.Load() {
		k.safe = max(k.safe, committed)
	}
	k.put(open)
	if len(w.cur.entries) == 0 {
		open--
	}
	k.seen = open
	w.cur.asked = 0
	_ = w.checkpointIfDue(w.c.submit) // the next Write returns the error
}

// put copies the chunks that were there at the last look to the tail file, in order and
// only after those that are safe: a kill must not cost chunks in the middle.
func (k *keeper) put(open uint64) {
	for _, s := range k.w.sealed {
		if s.number > k.safe+1 || s.number > k.seen {
			return
		}
		if k.tail.Put(s.number, s.job.buf) {
			k.safe = max(k.safe, s.number)
		}
	}
	if k.seen == open && k.safe+1 >= open {
		k.tail.Put(open, k.w.cur.buf)
	}
}

// gone compares the file with what its name stands for now.
func (k *keeper) gone() error {
	return disk.Gone(k.f, k.path, k.follow, k.w.c.inFile.Load())
}

// sealedJob is a chunk on its way to the disk.
type sealedJob struct {
	number uint64 // from 1
	job    *job   // not the chunk's any more once it is written
}

// dropWritten forgets the chunks up to a number.
func dropWritten(list []sealedJob, written uint64) []sealedJob {
	n := 0
	for n < len(list) && list[n].number <= written {
		n++
	}
	return append(list[:0], list[n:]...)
}
