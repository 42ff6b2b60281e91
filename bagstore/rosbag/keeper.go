package rosbag

import (
	"slices"
	"sync"
	"time"

	"rsros/bagstore"
)

// keepEvery is the period of a keeper. The second time that it sees a chunk open, it copies
// it to the tail file: at most two periods after a message was written, or three if an
// earlier chunk is still on its way to the disk. A chunk that fills faster is never copied.
const keepEvery = 20 * time.Millisecond

// keeper protects a recording against a kill. Its goroutine copies open chunks to the
// tail file, flushes staged bytes, makes checkpoints while no messages come, and detects
// that another program took the file away.
type keeper struct {
	w    *Writer
	tail *tailFile
	stop chan struct{}
	wait sync.WaitGroup
	seen uint64 // last chunk with messages at the previous look
	safe uint64 // all chunks up to this one are in the bag or the tail file
}

func newKeeper(w *Writer, path string) *keeper {
	k := &keeper{w: w, stop: make(chan struct{}),
		tail: newTailFile(tailPath(path, w.o.tail), w.o.tail)}
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
			k.tick()
		}
	}
}

// close ends the goroutine. No chunk may be open.
func (k *keeper) close() {
	close(k.stop)
	k.wait.Wait()
}

func (k *keeper) tick() {
	w := k.w
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done || w.c.failed() != nil {
		return
	}
	if k.gone() {
		return
	}
	committed := w.c.committed.Load()
	w.sealed = dropWritten(w.sealed, committed)
	open := w.number()
	if w.o.Sink != bagstore.Buffered {
		// With compression another goroutine flushes, before the next look.
		w.c.flushSoon(open <= k.seen+1 || len(w.sealed) > 0 && w.sealed[0].number <= k.seen)
	}
	k.safe = max(k.safe, w.c.landed.Load())
	k.put(open)
	if len(w.cur.entries) == 0 {
		open--
	}
	k.seen = open
	w.cur.asked = 0
	_ = w.checkpointIfDue(w.c.submit) // the next Write returns the error
}

// gone reports whether the file is lost, and fails the Writer then. The caller must hold w.mu.
func (k *keeper) gone() bool {
	err := k.w.file.Gone(k.w.c.inFile.Load())
	if err != nil {
		k.w.c.fail(err)
	}
	return err != nil
}

// put copies the chunks that existed at the previous look to the tail file, in order and
// only if all before them are safe: a kill must not lose chunks in the middle.
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

// sealedJob is a chunk on its way to the disk.
type sealedJob struct {
	number uint64 // from 1
	job    *job   // reused for another chunk after it is written
}

func dropWritten(list []sealedJob, written uint64) []sealedJob {
	return slices.DeleteFunc(list, func(s sealedJob) bool { return s.number <= written })
}
