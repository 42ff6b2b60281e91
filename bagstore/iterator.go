package bagstore

import (
	"cmp"
	"iter"
	"sort"

	"rsros/bagstore/place"
)

// key orders all messages of a view.
type key struct {
	time       Time
	bag, chunk int
	offset     int64
}

func (k key) compare(l key) int {
	return cmp.Or(cmp.Compare(k.time, l.time), cmp.Compare(k.bag, l.bag), cmp.Compare(k.chunk, l.chunk),
		cmp.Compare(k.offset, l.offset))
}

// cursor walks one connection's messages in one chunk.
type cursor struct {
	chunkRef
	Run
	head Layout
	i    int
	key  key  // of entry i
	one  bool // all entries have the time of the block, see Query.FileOrder

	crowds int64 // part of Iterator.crowded
}

// set moves the cursor to entry i and reports whether that exists.
func (c *cursor) set(i int) bool {
	if i < 0 || i >= c.len() {
		return false
	}
	c.i = i
	c.key = c.keyOf(i)
	return true
}

func (c *cursor) keyOf(i int) key {
	k := key{c.time(i), c.bag, c.chunk, int64(c.ref(i))}
	if c.one {
		k.time = c.start
	}
	return k
}

// Iterator visits the messages of a view. Its position is between two messages, so Next followed by
// Prev visits the same message twice. An Iterator is for one goroutine.
type Iterator struct {
	v          *View
	reader     *messageReader
	pos        key  // the position is just before pos,
	after      bool // or just after it if after is set
	dir        int  // direction for which heap and pending are valid: +1, -1; 0: none
	heap       []*cursor
	crowded    int64        // size of the indexes in heap that crowd
	pending    int          // next chunk to open, as an index in refs (forward) or byEnd (backward)
	looked     int          // next chunk to consider for reading ahead, if it is after pending
	wantedFrom int          // pending when want was last called
	asked      int          // next chunk to ask for, see want
	whole      *wholeChunks // nil: all chunks are read message by message
	cur        Message
	err        error
}

// Iterator returns an iterator before the first message.
func (v *View) Iterator() *Iterator {
	it := &Iterator{v: v, reader: newMessageReader(v)}
	it.Seek(v.start)
	return it
}

// Messages iterates over all messages in time order. A message that can't be read is yielded with
// an error and without Data. Data is valid until the next message, see [Message.Retain].
func (v *View) Messages() iter.Seq2[Message, error] { return v.all((*Iterator).Next) }

// Index is Messages without Data: it reads only the indexes of chunks.
func (v *View) Index() iter.Seq2[Message, error] { return v.all((*Iterator).SkipNext) }

func (v *View) all(next func(*Iterator) bool) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		it := v.Iterator()
		defer it.Close()
		for next(it) || it.err != nil {
			if !yield(it.cur, it.err) {
				return
			}
		}
	}
}

// Seek moves to just before the first message at or after t.
func (it *Iterator) Seek(t Time) { it.seek(key{time: max(t, it.v.start), bag: -1}, false) }

// SeekEnd moves to just after the last message.
func (it *Iterator) SeekEnd() { it.seek(key{time: it.v.end, bag: len(it.v.bags)}, true) }

func (it *Iterator) seek(pos key, after bool) {
	it.pos, it.after, it.dir, it.err = pos, after, 0, nil
	it.drop()
	it.reader.restart()
}

// Next moves past the following message and reads it. It returns false at the end or after an error.
func (it *Iterator) Next() bool { return it.move(+1) && it.read() }

// Prev moves back past the preceding message and reads it, see Next.
func (it *Iterator) Prev() bool { return it.move(-1) && it.read() }

// SkipNext is Next without reading the message: its Data is nil.
func (it *Iterator) SkipNext() bool { return it.move(+1) }

// SkipPrev is Prev without reading the message.
func (it *Iterator) SkipPrev() bool { return it.move(-1) }

// Message returns the message visited last.
func (it *Iterator) Message() Message { return it.cur }

// Err returns the error that stopped the iterator. Moving again skips the damaged message.
func (it *Iterator) Err() error { return it.err }

// Close releases the iterator's memory and waits for reading ahead to end.
func (it *Iterator) Close() {
	it.drop()
	it.heap = nil
	it.reader.close()
}

func (it *Iterator) drop() {
	it.cur.Buffer.Release()
	it.cur = Message{}
}

func (it *Iterator) move(dir int) bool {
	it.drop()
	it.err = nil
	if it.dir != dir {
		it.rebuild(dir)
	}
	if !it.open() || len(it.heap) == 0 {
		return false
	}
	c := it.heap[0]
	it.pos, it.after = c.key, dir > 0
	t := c.key.time
	if c.one {
		t = c.time(c.i)
	}
	it.cur = Message{Bag: c.bag, Conn: c.Conn, Time: t,
		TimeClamped: (t == 0 || t == MaxTime) && it.v.bags[c.bag].info.Clamps}
	it.reader.choose(c)
	if !c.set(c.i + dir) {
		it.crowded -= c.crowds
		last := len(it.heap) - 1
		it.heap[0], it.heap[last] = it.heap[last], nil
		it.heap = it.heap[:last]
	}
	it.down(0)
	return true
}

func (it *Iterator) read() bool {
	it.want()
	it.reader.start()
	if it.reader.steady() {
		it.prefetch(true)
	}
	it.err = it.reader.readMessage(&it.cur.Stored)
	return it.err == nil
}

// prefetch starts reading the chunks that come soon, without decode at most those that are copied. It
// considers each once.
func (it *Iterator) prefetch(decode bool) {
	if it.reader.Layout.Access == Converted {
		it.reader.cache.passed(it.pos.time, it.dir)
	}
	for it.looked = max(it.looked, it.pending); it.looked < it.count() && it.soon(it.looked); it.looked++ {
		r := it.ref(it.looked)
		if it.whole != nil && it.whole.start(r) {
			continue
		}
		l := it.reader.layout(r)
		if l.Access == Single {
			continue
		}
		if !decode {
			return
		}
		if !it.reader.prefetch(r, l) {
			it.reader.cache.passed(it.pos.time, it.dir)
			return
		}
	}
}

// soon reports whether chunk i is near enough to be read ahead.
func (it *Iterator) soon(i int) bool {
	if it.v.lead == 0 {
		ahead := it.v.ahead
		// smaller blocks that take longer: no core waits for the next one
		if l := &it.reader.Layout; l.Access == Converted && !l.Packed {
			ahead = min(2*ahead, convertedAhead)
		}
		return i < it.pending+ahead
	}
	r := it.ref(i)
	away := r.start.Sub(it.pos.time)
	if it.dir < 0 {
		away = it.pos.time.Sub(r.end)
	}
	return away <= it.v.lead && (!it.v.remote || it.v.arrived(r))
}

// want tells files at addresses which chunks come next.
func (it *Iterator) want() {
	if !it.v.remote || it.pending == it.wantedFrom && it.asked > 0 {
		return
	}
	it.wantedFrom = it.pending
	left := int64(wantBytes)
	for i := it.pending; i < it.asked; i++ {
		_, from, to := it.v.bags[it.ref(i).bag].source.Extent(it.ref(i).chunk)
		left -= to - from
	}
	if left < wantBytes/2 {
		return // for large ranges
	}
	var run wantedRun
	for it.asked = max(it.asked, it.pending); it.asked < it.count() && left > 0; it.asked++ {
		r := it.ref(it.asked)
		in, from, to := it.v.bags[r.bag].source.Extent(r.chunk)
		if left -= to - from; in != nil && to-from <= wantBytes {
			run.add(in, from, to)
		}
	}
	run.ask()
}

// wantedRun is a range of chunks that follow each other in a file.
type wantedRun struct {
	in       place.File
	from, to int64
}

func (w *wantedRun) add(in place.File, from, to int64) {
	if w.in == in && w.to == from {
		w.to = to
		return
	}
	w.ask()
	*w = wantedRun{in, from, to}
}

func (w *wantedRun) ask() {
	if w.in != nil {
		w.in.Want(w.from, w.to-w.from)
	}
}

// arrived reports whether a chunk can be read without waiting for a server.
func (v *View) arrived(r chunkRef) bool {
	in, from, to := v.bags[r.bag].source.Extent(r.chunk)
	return in == nil || from < to && in.Has(from, to-from)
}

// ref returns the block of an index such as pending, below count.
func (it *Iterator) ref(i int) chunkRef {
	if it.dir < 0 {
		i = int(it.v.byEnd[i])
	}
	return it.v.refs[i]
}

func (it *Iterator) count() int {
	if it.dir < 0 {
		return it.v.backward
	}
	return it.v.forward
}

// rebuild sets up heap and pending for a direction. It opens the chunks that contain the position.
func (it *Iterator) rebuild(dir int) {
	it.dir, it.heap, it.crowded, it.looked, it.asked = dir, it.heap[:0], 0, 0, 0
	v, t := it.v, it.pos.time
	var across []chunkRef
	if dir > 0 {
		it.pending = sort.Search(v.forward, func(i int) bool { return v.refs[i].start > t })
		for i := it.pending - 1; i >= 0 && v.maxEnd[i] >= t; i-- {
			across = append(across, v.refs[i])
		}
	} else {
		it.pending = sort.Search(v.backward, func(i int) bool { return v.refs[v.byEnd[i]].end < t })
		for i := it.pending - 1; i >= 0 && v.minFrom[i] <= t; i-- {
			across = append(across, v.refs[v.byEnd[i]])
		}
	}
	for _, r := range across {
		if r.start <= t && r.end >= t {
			it.push(r)
		}
	}
}

func (it *Iterator) open() bool {
	for it.err == nil && it.pending < it.count() {
		r := it.ref(it.pending)
		if len(it.heap) > 0 {
			t := it.heap[0].key.time
			if it.dir > 0 && r.start > t || it.dir < 0 && r.end < t {
				break
			}
			if it.whole != nil && r.start == t && it.heap[0].precedes(r) {
				break // the messages at the top come before a whole chunk
			}
		}
		it.pending++
		if it.whole != nil {
			it.want()
		}
		if it.whole != nil && it.whole.take(r) {
			return false
		}
		it.push(r)
	}
	return it.err == nil
}

// push opens a chunk. If that fails, it skips the chunk and adds it to the iterator's error.
func (it *Iterator) push(r chunkRef) {
	runs, head, err := it.reader.index(r)
	more := crowds(runs, head)
	if err = cmp.Or(err, it.roomFor(r, more)); err != nil {
		lost, ok := it.err.(*LostBlocks)
		if !ok {
			lost = &LostBlocks{Err: err}
			it.err = lost
		}
		lost.Messages += it.v.described(r)
		return
	}
	for _, one := range runs {
		c := &cursor{chunkRef: r, Run: it.v.within(one), head: head, one: it.v.fileOrder}
		if c.set(it.start(c)) {
			if more > 0 {
				c.crowds = int64(len(one.Raw))
			}
			it.crowded += c.crowds
			it.heap = append(it.heap, c)
			it.up(len(it.heap) - 1)
		}
	}
}

func (it *Iterator) start(c *cursor) int {
	i := sort.Search(c.len(), func(i int) bool {
		n := c.keyOf(i).compare(it.pos)
		return n > 0 || n == 0 && !it.after
	})
	if it.dir < 0 {
		i--
	}
	return i
}

// before is the order of the heap: whether x comes before y in the iterator's direction.
func (it *Iterator) before(x, y *cursor) bool { return x.key.compare(y.key)*it.dir < 0 }

func (it *Iterator) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !it.before(it.heap[i], it.heap[parent]) {
			return
		}
		it.heap[i], it.heap[parent] = it.heap[parent], it.heap[i]
		i = parent
	}
}

func (it *Iterator) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(it.heap); child++ {
			if it.before(it.heap[child], it.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		it.heap[i], it.heap[least] = it.heap[least], it.heap[i]
		i = least
	}
}
