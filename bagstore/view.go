package bagstore

import (
	"cmp"
	"runtime"
	"slices"
	"time"
)

// Query selects messages.
type Query struct {
	// Connections selects connections; nil selects all.
	Connections func(*Connection) bool
	// Start and End bound the time, both inclusive; 0 leaves that side open.
	Start, End Time
	// Mapped selects connections whose large, uncompressed messages are mapped from the page cache.
	// Only the kernel may read such Data: if the file is truncated, a system call fails, but a
	// program that reads it gets a SIGBUS.
	Mapped func(*Connection) bool
	// Lead is for playing in real time: blocks are decompressed, and messages converted, up to this much bag time ahead, within 32 MiB, on one thread of low priority. What
	// the thread hasn't finished in time is read at once. 0: one chunk per core ahead, on all
	// cores.
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

	refs    []chunkRef // chunks with selected messages, by start time
	maxEnd  []Time     // maxEnd[i] is the latest end among refs[:i+1]
	byEnd   []int      // indexes of refs by descending end time
	minFrom []Time     // minFrom[i] is the earliest start among byEnd[:i+1]
}

type chunkRef struct {
	bag, chunk int
	start, end Time
}

// View returns a view of the messages of one recording that match the query, see [NewView].
func (r *Recording) View(q Query) *View { return NewView([]*Recording{r}, q) }

// NewView returns the messages that match the query. It reads nothing. The recordings must stay open.
func NewView(bags []*Recording, q Query) *View {
	v := &View{bags: bags, start: q.Start, end: cmp.Or(q.End, MaxTime), mapped: q.Mapped, ahead: runtime.GOMAXPROCS(0), lead: q.Lead, leadBytes: leadBytes, prefetchWait: prefetchWait, keep: make([]map[uint32]bool, len(bags))}
	for i, b := range bags {
		v.remote = v.remote || b.remote()
		v.choose(i, b, q.Connections)
		for j := range b.blocks {
			if c := &b.blocks[j]; c.Start <= v.end && c.End >= v.start && v.touches(i, c) {
				v.refs = append(v.refs, chunkRef{i, j, c.Start, c.End})
			}
		}
	}
	v.order()
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

func (v *View) touches(bag int, c *Block) bool {
	return slices.ContainsFunc(c.Counts, func(k ConnCount) bool {
		return k.Count > 0 && (v.keep[bag] == nil || v.keep[bag][k.ID])
	})
}

// order sorts the chunks for both directions.
func (v *View) order() {
	slices.SortStableFunc(v.refs, func(x, y chunkRef) int { return cmp.Compare(x.start, y.start) })
	v.maxEnd = make([]Time, len(v.refs))
	v.byEnd = make([]int, len(v.refs))
	v.minFrom = make([]Time, len(v.refs))
	last := Time(0)
	for i, r := range v.refs {
		last = max(last, r.end)
		v.maxEnd[i], v.byEnd[i] = last, i
	}
	slices.SortStableFunc(v.byEnd, func(x, y int) int { return cmp.Compare(v.refs[y].end, v.refs[x].end) })
	first := MaxTime
	for i, r := range v.byEnd {
		first = min(first, v.refs[r].start)
		v.minFrom[i] = first
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

// Start returns the time of the first message, 0 if there is none.
func (v *View) Start() Time {
	it := v.Iterator()
	defer it.Close()
	if !it.SkipNext() {
		return 0
	}
	return it.Message().Time
}

// End returns the time of the last message, 0 if there is none.
func (v *View) End() Time {
	it := v.Iterator()
	defer it.Close()
	it.SeekEnd()
	if !it.SkipPrev() {
		return 0
	}
	return it.Message().Time
}

// Count returns the number of messages. It reads indexes of chunks beyond the time range only.
func (v *View) Count() uint64 {
	n := uint64(0)
	readers := make([]Reader, len(v.bags))
	for _, r := range v.refs {
		c := &v.bags[r.bag].blocks[r.chunk]
		if r.start < v.start || r.end > v.end {
			if readers[r.bag] == nil {
				readers[r.bag] = v.bags[r.bag].reader(nil)
			}
			if runs, _, err := v.bags[r.bag].index(readers[r.bag], r.chunk, v.keeper(r.bag)); err == nil {
				for _, one := range runs {
					n += uint64(v.within(one).len())
				}
				continue
			}
		}
		for _, k := range c.Counts {
			if v.keep[r.bag] == nil || v.keep[r.bag][k.ID] {
				n += uint64(k.Count)
			}
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
