package bagstore

import (
	"cmp"
	"runtime"
	"slices"
	"sort"
	"time"
)

// Query selects messages.
type Query struct {
	// Connections selects connections; nil selects all.
	Connections func(*Connection) bool
	// Start and End bound the time, both inclusive; 0 leaves that side open.
	Start, End Time
	// FileOrder visits the messages block by block, in the order of the file, so that each block is decoded once even if
	// many overlap. It is for iterating forward from the beginning, without Start and End.
	FileOrder bool
	// Mapped selects connections whose large, uncompressed messages are mapped from the page cache. Only the kernel may
	// read such Data: if the file is truncated, a system call fails, but a program that reads it gets a SIGBUS.
	Mapped func(*Connection) bool
	// Lead is for playing in real time: blocks are decompressed, and messages converted, up to this much bag time ahead,
	// within 32 MiB, on one thread of low priority. What the thread hasn't finished in time is read at once. 0: one chunk
	// per core ahead, on all cores.
	Lead time.Duration
}

// View is a selection of messages of recordings, in the order of time, bag and position in the file.
type View struct {
	bags         []*Recording
	start, end   Time // of the query; an open end is MaxTime
	conns        []*Connection
	keep         []map[uint32]bool // connections by bag; nil keeps all
	mapped       func(*Connection) bool
	ahead        int           // chunks to read ahead, if lead is 0
	lead         time.Duration // see Query.Lead
	leadBytes    int64         // limit of the data read ahead within lead
	prefetchWait time.Duration // see the constant
	remote       bool          // a bag is at an address
	crowdBytes   int64         // see the constant
	fileOrder    bool          // the times of refs and keys are numbers of blocks

	*blockOrder     // of the blocks with messages of the connections
	forward     int // refs[:forward] start by end
	backward    int // byEnd[:backward] end at start or later
}

// View returns a view of the messages of one recording that match the query, see [NewView].
func (r *Recording) View(q Query) *View { return r.set.View(q) }

// NewView returns the messages that match the query. It reads nothing. The recordings must stay open.
func NewView(bags []*Recording, q Query) *View {
	if len(bags) == 1 {
		return bags[0].View(q)
	}
	return NewSet(bags...).View(q)
}

// View returns the messages that match the query. It reads nothing.
func (s *Set) View(q Query) *View {
	v := &View{bags: s.bags, start: q.Start, end: cmp.Or(q.End, MaxTime), mapped: q.Mapped, ahead: runtime.GOMAXPROCS(0),
		lead: q.Lead, leadBytes: leadBytes, prefetchWait: prefetchWait, crowdBytes: crowdBytes,
		keep: make([]map[uint32]bool, len(s.bags))}
	for i, b := range s.bags {
		v.remote = v.remote || b.remote()
		v.choose(i, b, q.Connections)
	}
	v.blockOrder = s.of(v.keep)
	if v.fileOrder = q.FileOrder; v.fileOrder {
		v.blockOrder = v.inFileOrder()
	}
	v.forward = sort.Search(len(v.refs), func(i int) bool { return v.refs[i].start > v.end })
	v.backward = sort.Search(len(v.byEnd), func(i int) bool { return v.refs[v.byEnd[i]].end < v.start })
	return v
}

func (v *View) choose(i int, b *Recording, want func(*Connection) bool) {
	if want == nil {
		v.conns = append(v.conns, b.conns...)
		return
	}
	v.keep[i] = make(map[uint32]bool)
	for _, c := range b.conns {
		if want(c) {
			v.keep[i][c.ID] = true
			v.conns = append(v.conns, c)
		}
	}
}

// keeper returns the connection filter for one bag's index; nil keeps all.
func (v *View) keeper(bag int) func(uint32) bool {
	if v.keep[bag] == nil {
		return nil
	}
	return func(id uint32) bool { return v.keep[bag][id] }
}

// Connections returns the selected connections, in the order of the bags.
func (v *View) Connections() []*Connection { return slices.Clone(v.conns) }

// Start returns the time of the first message; ok is false if there is none. Of a block whose index can't be read, the
// first message is when the block's description says, if that is in the view.
func (v *View) Start() (first Time, ok bool) {
	x := v.indexes()
	for _, r := range v.refs[sort.Search(v.forward, func(i int) bool { return v.maxEnd[i] >= v.start }):v.forward] {
		if ok && r.start >= first {
			break
		}
		if from, _, some := x.ends(r); some && !(ok && from >= first) {
			first, ok = from, true
		}
	}
	return first, ok
}

// End returns the time of the last message, see Start.
func (v *View) End() (last Time, ok bool) {
	x := v.indexes()
	for _, i := range v.byEnd[sort.Search(v.backward, func(i int) bool { return v.minFrom[i] <= v.end }):v.backward] {
		if ok && v.refs[i].end <= last {
			break
		}
		if _, to, some := x.ends(v.refs[i]); some && !(ok && to <= last) {
			last, ok = to, true
		}
	}
	return last, ok
}

// indexReader reads the indexes of a view's blocks.
type indexReader struct {
	*View
	readers []Reader // by bag
}

func (v *View) indexes() indexReader { return indexReader{v, make([]Reader, len(v.bags))} }

// runs returns the selected messages of a block.
func (x indexReader) runs(r chunkRef) ([]Run, error) {
	b := x.bags[r.bag]
	if x.readers[r.bag] == nil {
		x.readers[r.bag] = b.reader(nil)
	}
	runs, _, err := b.index(x.readers[r.bag], r.chunk, x.keeper(r.bag))
	for i := range runs {
		runs[i] = x.within(runs[i])
	}
	return runs, err
}

// ends returns the times of the first and the last selected message of a block.
func (x indexReader) ends(r chunkRef) (first, last Time, ok bool) {
	runs, err := x.runs(r)
	if err != nil {
		return r.start, r.end, r.start >= x.start && r.end <= x.end
	}
	for _, one := range runs {
		if n := one.len(); n > 0 {
			if from, to := one.time(0), one.time(n-1); ok {
				first, last = min(first, from), max(last, to)
			} else {
				first, last, ok = from, to, true
			}
		}
	}
	return first, last, ok
}

// Count returns the number of messages. It reads indexes of chunks beyond the time range only.
func (v *View) Count() uint64 {
	n := uint64(0)
	x := v.indexes()
	for _, r := range v.refs[:v.forward] {
		if r.end < v.start {
			continue
		}
		if r.start < v.start || r.end > v.end {
			if runs, err := x.runs(r); err == nil {
				for _, one := range runs {
					n += uint64(one.len())
				}
				continue
			}
		}
		n += v.described(r)
	}
	return n
}

// described returns the number of selected messages of a block, of any time, according to its description.
func (v *View) described(r chunkRef) (n uint64) {
	for _, k := range v.bags[r.bag].blocks[r.chunk].Counts {
		if v.keep[r.bag] == nil || v.keep[r.bag][k.ID] {
			n += uint64(k.Count)
		}
	}
	return n
}

func (v *View) within(r Run) Run {
	from, to := 0, r.len()
	if to > 0 && r.time(0) < v.start {
		from = r.search(v.start)
	}
	if to > 0 && r.time(to-1) > v.end {
		to = r.search(v.end + 1)
	}
	return Run{r.Conn, r.Raw[EntrySize*from : EntrySize*max(from, to)], r.by}
}
