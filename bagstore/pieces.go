package bagstore

import (
	"cmp"
	"iter"
)

// Piece is a message, or a whole chunk of messages.
type Piece struct {
	Message
	Whole *WholeChunk // if not nil, instead of the message. Valid until the next piece
}

// Pieces iterates like Messages, but yields a chunk of the given compression, or of any if kind is "", in place of its
// messages if all of them are selected and intact, and takes accepts it. takes may be asked several
// times, and in advance; nil accepts none.
//
// The order in which pieces are written is the order in which a reader of the new bag finds messages of
// one time: a chunk with which that would not be the order of Messages is not yielded whole.
func (v *View) Pieces(kind Compression, takes func(*WholeChunk) bool) iter.Seq2[Piece, error] {
	return func(yield func(Piece, error) bool) {
		w := &wholeChunks{kind: kind, takes: takes, ahead: make(map[chunkRef]*WholeChunk)}
		w.it = v.Iterator()
		if takes != nil {
			w.it.whole = w
		}
		defer w.close()
		for w.it.Next() || w.it.err != nil || w.found != nil {
			if !yield(Piece{w.it.cur, w.found}, w.it.err) {
				return
			}
			w.drop()
		}
	}
}

// wholeChunks finds whole chunks for an iterator, which reads them ahead.
type wholeChunks struct {
	it    *Iterator
	kind  Compression
	takes func(*WholeChunk) bool
	ahead map[chunkRef]*WholeChunk // read, or being read
	found *WholeChunk              // the next piece
	end   Time                     // of the latest message in the whole chunks so far
}

// take makes the chunk, which is the iterator's next, the next piece if possible.
func (w *wholeChunks) take(r chunkRef) bool {
	starts := w.start(r)
	w.it.prefetch(false)
	if !starts {
		return false
	}
	c := w.ahead[r]
	<-c.done
	delete(w.ahead, r)
	if c.err != nil || !w.takes(c) || w.ties(c) {
		c.release()
		return false
	}
	w.found, w.end = c, max(w.end, c.End)
	return true
}

// start starts to read a chunk that is likely to be copied, and reports whether it is one.
func (w *wholeChunks) start(r chunkRef) bool {
	if w.ahead[r] != nil {
		return true
	}
	l := w.it.reader.layout(r)
	if w.kind != "" && l.Compression != w.kind {
		return false
	}
	c := w.it.v.wholeChunk(r, l)
	if c == nil {
		return false
	}
	c.all = w
	if !w.takes(c) {
		return false
	}
	w.ahead[r] = c
	w.it.reader.ahead.wait.Go(c.fill)
	return true
}

// Fits reports whether this chunk and all messages that come before its end, or the end of an earlier
// whole chunk, are at most n. If very many chunks overlap, it returns false.
func (c *WholeChunk) Fits(n uint64) bool {
	it := c.all.it
	sum := c.Messages()
	for _, k := range it.heap {
		sum += uint64(k.len() - k.i)
	}
	end := max(c.all.end, c.End)
	for i := it.pending; i < len(it.v.refs) && it.v.refs[i].start <= end && sum <= n; i++ {
		r := it.v.refs[i]
		if i == it.pending+maxTies {
			return false
		}
		sum += it.v.bags[r.bag].blocks[r.chunk].Messages()
	}
	return sum <= n
}

// ties reports whether a message of the chunk has the time of one that precedes it in the view and
// would follow it in the output.
func (w *wholeChunks) ties(c *WholeChunk) bool {
	left := maxTies
	in := func(r Run, from int) bool {
		for i := from; i < r.len() && r.time(i) <= c.End; i++ {
			if left--; left < 0 || c.has(r.time(i)) {
				return true
			}
		}
		return false
	}
	for _, k := range w.it.heap {
		if k.precedes(c.ref) && in(k.Run, k.i) {
			return true
		}
	}
	refs := w.it.v.refs
	for i := w.it.pending; i < len(refs) && refs[i].start <= c.End; i++ {
		if left--; left < 0 {
			return true
		}
		if !refs[i].precedes(c.ref) {
			continue
		}
		runs, _, err := w.it.reader.index(refs[i])
		if err != nil {
			return true
		}
		for _, r := range runs {
			if r = w.it.v.within(r); in(r, r.search(c.Start)) {
				return true
			}
		}
	}
	return false
}

// precedes reports whether messages of r come before those of s that have the same time.
func (r chunkRef) precedes(s chunkRef) bool {
	return cmp.Or(cmp.Compare(r.bag, s.bag), cmp.Compare(r.chunk, s.chunk)) < 0
}

func (w *wholeChunks) drop() {
	if w.found != nil {
		w.found.release()
		w.found = nil
	}
}

func (w *wholeChunks) close() {
	w.drop()
	w.it.Close()
	for _, c := range w.ahead {
		c.release()
	}
}
