package bagstore

import (
	"cmp"
	"slices"
	"sync"
)

// Set is recordings that are read together. The order of their blocks is made once, for all of its views.
type Set struct {
	bags   []*Recording
	order  func() *blockOrder                       // of all blocks with messages
	places func() map[*Recording]map[uint32][]int32 // by connection: the indexes in order().refs of its blocks
}

// NewSet returns a set. The recordings must stay open.
func NewSet(bags ...*Recording) *Set {
	s := &Set{bags: bags}
	s.order = sync.OnceValue(s.sorted)
	s.places = sync.OnceValue(s.find)
	return s
}

// blockOrder is blocks in the order of time, in both directions.
type blockOrder struct {
	refs    []chunkRef // by start time
	maxEnd  []Time     // maxEnd[i] is the latest end among refs[:i+1]
	byEnd   []int32    // indexes of refs by descending end time
	minFrom []Time     // minFrom[i] is the earliest start among byEnd[:i+1]
}

type chunkRef struct {
	bag, chunk int
	start, end Time
}

func (s *Set) sorted() *blockOrder {
	o := new(blockOrder)
	for i, b := range s.bags {
		for j := range b.blocks {
			if c := &b.blocks[j]; c.Messages() > 0 {
				o.refs = append(o.refs, chunkRef{i, j, c.Start, c.End})
			}
		}
	}
	slices.SortStableFunc(o.refs, func(x, y chunkRef) int { return cmp.Compare(x.start, y.start) })
	o.byEnd = make([]int32, len(o.refs))
	for i := range o.byEnd {
		o.byEnd[i] = int32(i)
	}
	slices.SortStableFunc(o.byEnd, func(x, y int32) int { return cmp.Compare(o.refs[y].end, o.refs[x].end) })
	o.bound()
	return o
}

// inFileOrder returns the blocks in the order of bag and file, as if each had one time of its own.
func (o *blockOrder) inFileOrder() *blockOrder {
	f := &blockOrder{refs: slices.Clone(o.refs)}
	slices.SortFunc(f.refs, func(x, y chunkRef) int {
		return cmp.Or(cmp.Compare(x.bag, y.bag), cmp.Compare(x.chunk, y.chunk))
	})
	for i := range f.refs {
		f.refs[i].start, f.refs[i].end = Time(i+1), Time(i+1)
		f.byEnd = append(f.byEnd, int32(len(f.refs)-1-i))
	}
	f.bound()
	return f
}

// bound fills in maxEnd and minFrom.
func (o *blockOrder) bound() {
	o.maxEnd, o.minFrom = make([]Time, len(o.refs)), make([]Time, len(o.refs))
	last, first := Time(0), MaxTime
	for i, r := range o.refs {
		last = max(last, r.end)
		first = min(first, o.refs[o.byEnd[i]].start)
		o.maxEnd[i], o.minFrom[i] = last, first
	}
}

func (s *Set) find() map[*Recording]map[uint32][]int32 {
	found := make(map[*Recording]map[uint32][]int32)
	for _, b := range s.bags {
		found[b] = make(map[uint32][]int32)
	}
	for i, r := range s.order().refs {
		b := s.bags[r.bag]
		for _, k := range b.blocks[r.chunk].Counts {
			if k.Count > 0 {
				found[b][k.ID] = append(found[b][k.ID], int32(i))
			}
		}
	}
	return found
}

// of returns the order of the blocks with messages of some connections: keep[i] has those of bag i, nil for all.
func (s *Set) of(keep []map[uint32]bool) *blockOrder {
	all := s.order()
	if !slices.ContainsFunc(keep, func(k map[uint32]bool) bool { return k != nil }) {
		return all
	}
	to, n := make([]int32, len(all.refs)), 0 // index in the new order plus 1; 0: not in it
	for i, b := range s.bags {
		for id := range keep[i] {
			for _, at := range s.places()[b][id] {
				if to[at] == 0 {
					to[at], n = 1, n+1
				}
			}
		}
	}
	if n == len(all.refs) {
		return all
	}
	o := &blockOrder{refs: make([]chunkRef, 0, n), byEnd: make([]int32, 0, n)}
	for i, r := range all.refs {
		if to[i] > 0 {
			o.refs = append(o.refs, r)
			to[i] = int32(len(o.refs))
		}
	}
	for _, i := range all.byEnd {
		if to[i] > 0 {
			o.byEnd = append(o.byEnd, to[i]-1)
		}
	}
	o.bound()
	return o
}
