package db3

import (
	"bytes"
	"testing"

	"rsros/bagstore/db3/internal/sqlite"
	"rsros/test/need"
)

// watched is a file that records which pages are read or, with first, where reads start.
type watched struct {
	*bytes.Reader
	seen  map[int64]bool // by page
	page  int64
	first bool
}

func (w watched) ReadAt(p []byte, off int64) (int, error) {
	for at := off; at < off+int64(len(p)) && (at == off || !w.first); at += w.page {
		w.seen[at/w.page] = true
	}
	return w.Reader.ReadAt(p, off)
}

// TestLeaves checks that the pages fetched ahead are those that a scan reads.
func TestLeaves(t *testing.T) {
	b := smallBytes(t)
	const page = 512
	w := watched{bytes.NewReader(b), make(map[int64]bool), page, false}
	f, err := OpenReader(w, int64(len(b)), "test")
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // only read
	leaves := make(map[int64]bool)
	f.pages.Fetch = func(off, n int64) {
		for at := off; at < off+n; at += page {
			if leaves[at/page] || !w.seen[at/page] {
				t.Errorf("page %d: a leaf twice, or one that no scan reads", at/page+1)
			}
			leaves[at/page] = true
		}
	}
	need.Must(t, f.pages.Rows(f.rows.table.Root, func(*sqlite.Cell) error { return nil }))
	const tables = 4 // the schema and small tables, each of one page
	if other := len(w.seen) - len(leaves); len(leaves) < 10 || other > 2*tables {
		t.Errorf("%d leaves, and %d other pages were read", len(leaves), other)
	}
}
