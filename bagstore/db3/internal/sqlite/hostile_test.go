package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"rsros/test/need"
)

// faultyDisk is a file that counts reads and may have an unreadable page.
type faultyDisk struct {
	*bytes.Reader
	page          int64
	bad           int64 // page number; 0: all can be read
	reads, failed int
}

var errDisk = errors.New("the sector can't be read")

func (d *faultyDisk) ReadAt(p []byte, off int64) (int, error) {
	d.reads++
	if at := (d.bad - 1) * d.page; off < at+d.page && off+int64(len(p)) > at {
		d.failed++
		return 0, errDisk
	}
	return d.Reader.ReadAt(p, off)
}

func open(t *testing.T, b []byte) (*File, *faultyDisk) {
	t.Helper()
	d := &faultyDisk{Reader: bytes.NewReader(b)}
	f := OpenDamaged(d, int64(len(b)))
	if f == nil {
		t.Fatal("no pages")
	}
	d.page, d.reads = int64(f.page), 0
	return f, d
}

func small(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("../../testdata/small.db3")
	need.Must(t, err)
	return b
}

// TestUnreadablePage checks that an unreadable page costs no other, and isn't retried endlessly.
func TestUnreadablePage(t *testing.T) {
	f, d := open(t, small(t))
	leaves := func() (list []uint32) {
		f.EachLeaf(func(number uint32, _ []byte) bool {
			list = append(list, number)
			return true
		})
		return list
	}
	all := leaves()
	d.bad = int64(all[len(all)/2])
	if got := leaves(); len(got) != len(all)-1 || d.failed > 2 {
		t.Errorf("%d leaves of %d, %d reads failed", len(got), len(all), d.failed)
	}
	d.failed = 0
	r := f.NewReader()
	for n := uint32(1); n <= f.count; n++ {
		if _, err := r.Page(n); (err != nil) != (int64(n) == d.bad) {
			t.Errorf("page %d, of which %d can't be read: %v", n, d.bad, err)
		}
	}
	if d.failed > 2 {
		t.Errorf("%d reads failed", d.failed)
	}
}

// TestPagesReadOnce checks that a page with many pointers to it is read once.
func TestPagesReadOnce(t *testing.T) {
	const page, pages = 4096, 20
	for name, first := range map[string]byte{"zero": 0, "foreign": 10, "leaf": kindLeaf} {
		b := make([]byte, page*pages)
		const target = pages
		b[(target-1)*page] = first
		for n := 2; n < target; n++ { // each leads to the next, and many times to the last
			p := b[(n-1)*page:][:page]
			p[0] = kindInterior
			const cells, cell = 1000, 4000
			binary.BigEndian.PutUint16(p[3:], cells)
			for i := range cells {
				binary.BigEndian.PutUint16(p[interiorHead+pointerSize*i:], cell)
			}
			binary.BigEndian.PutUint32(p[cell:], target)
			binary.BigEndian.PutUint32(p[leafHead:], uint32(n+1))
		}
		f, d := open(t, b)
		leaves := 0
		tree := f.Tree(2, f.NewSet(), func(Leaf, []byte) bool { leaves++; return true })
		if d.reads > pages || !tree.Lost || leaves > 1 {
			t.Errorf("%s: %d pages were read %d times; %d leaves, lost %v", name, pages, d.reads, leaves, tree.Lost)
		}
	}
}

// TestValueStops checks that only the pages of a long record up to the value are read.
func TestValueStops(t *testing.T) {
	const page, local, pages = 4096, 10, 50
	b := make([]byte, page*pages)
	for n := 1; n < pages; n++ { // a chain of all pages
		binary.BigEndian.PutUint32(b[(n-1)*page:], uint32(n+1))
	}
	f, d := open(t, b)
	rest := int64(pages * (page - nextSize))
	c := Cell{local: make([]byte, local), size: local + rest, values: local + rest, overflow: 1, Columns: []Column{
		{Type: typeBlob, off: 0, size: 5}, {Type: typeBlob, off: 5, size: 5 + page - nextSize},
		{Type: typeBlob, off: local + page - nextSize, size: rest - (page - nextSize)},
	}}
	for column, reads := range []int{0, 1, pages} {
		d.reads = 0
		v, err := f.NewPageReader().Value(&c, column, func(n int) []byte { return make([]byte, 0, n) })
		if err != nil || int64(len(v)) != c.Columns[column].size || d.reads != reads {
			t.Errorf("column %d: %d bytes in %d reads, want %d; %v", column, len(v), d.reads, reads, err)
		}
	}
}

// TestNoDatabase checks that a file that only starts like a database is rejected.
func TestNoDatabase(t *testing.T) {
	for _, b := range [][]byte{nil, []byte(magic), append([]byte(magic), make([]byte, 84)...), append([]byte(magic), bytes.Repeat([]byte{0xff}, 5000)...)} {
		if _, err := Open(bytes.NewReader(b), int64(len(b))); !errors.Is(err, ErrNotDatabase) {
			t.Errorf("%d bytes: %v", len(b), err)
		}
	}
}
