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

// keeper protects a recording against a kill. Its goroutine copies open chunks to the tail file, flushes staged bytes,
// makes checkpoints while no messages come, and detects that another program took the file away.
type keeper struct {
	w    *Writer
	tail *tailFile
	stop chan struct{}
	wait sync.WaitGroup
	seen uint64 // last chunk with messages at the previous look
	safe uint64 // all chunks up to this one are in the bag or the tail file

	copying []sealedJob // and the open one; changed with w.mu held
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
	if w.c.failed() != nil || k.gone() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
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
	k.copying = append(slices.Clone(w.sealed), sealedJob{open, w.cur, w.cur.buf})
	w.mu.Unlock()
	k.put()
	w.mu.Lock()
	k.copying = nil
	if w.done {
		return
	}
	if len(w.cur.entries) == 0 {
		open--
	}
	k.seen = open
	w.cur.asked = 0
	_ = w.checkpointIfDue(w.c.submit) // the next Write returns the error
}

// gone reports whether the file is lost, and fails the Writer then.
func (k *keeper) gone() bool {
	err := k.w.file.Gone(k.w.c.inFile.Load())
	if err != nil {
		k.w.c.fail(err)
	}
	return err != nil
}

// put copies the chunks that existed at the previous look to the tail file, in order and only if all before them are
// safe: a kill must not lose chunks in the middle. The file may wait for the disk, so the caller must not hold w.mu.
func (k *keeper) put() {
	last := len(k.copying) - 1 // the open one, which isn't safe before it is sealed
	for i, s := range k.copying {
		if s.number > k.safe+1 || s.number > k.seen {
			return
		}
		if k.tail.Put(s.number, s.content) && i < last {
			k.safe = max(k.safe, s.number)
		}
	}
}

// take returns an empty chunk, whose memory isn't being copied.
func (w *Writer) take() *job {
	j := w.c.take()
	if w.keeper != nil && slices.ContainsFunc(w.keeper.copying, func(s sealedJob) bool { return s.job == j }) {
		j.buf = nil
	}
	return j
}

// sealedJob is a chunk on its way to the disk.
type sealedJob struct {
	number  uint64 // from 1
	job     *job   // reused for another chunk after it is written
	content []byte
}

func dropWritten(list []sealedJob, written uint64) []sealedJob {
	return slices.DeleteFunc(list, func(s sealedJob) bool { return s.number <= written })
}
