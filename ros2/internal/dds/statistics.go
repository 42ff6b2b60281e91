package dds

import "fmt"

// Statistics counts what a writer has sent.
type Statistics struct {
	Fragments uint64 // or whole samples, for the first time
	Again     uint64 // the same, because a reader asked for them
}

func (s Statistics) String() string {
	return fmt.Sprintf("%d datagrams, %d sent again", s.Fragments, s.Again)
}

// Statistics returns the counts of all readers.
func (w *Writer) Statistics() Statistics {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.statistics
}
