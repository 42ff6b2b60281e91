package bagstore

import (
	"cmp"
	"slices"
	"sync"
)

// Found collects what reading finds besides messages that it can't read. It is safe for concurrent use;
// the zero value is empty.
type Found struct {
	mu    sync.Mutex
	notes Notes
}

// Add adds a note unless there is one about the place.
func (f *Found) Add(n Note) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.notes, func(m Note) bool { return m.Offset == n.Offset && m.Kind == n.Kind }) {
		f.notes.Add(n)
	}
}

// Notes returns the notes so far, in the order of the file: blocks are read in any.
func (f *Found) Notes() []Note {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(f.notes), func(a, b Note) int { return cmp.Compare(a.Offset, b.Offset) })
}
