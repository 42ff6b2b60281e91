package disk

import (
	"bytes"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
)

// TestBorrow checks that sequential reading borrows nearly all of a file, and that borrowed memory
// stays unchanged while others read on, and after Close.
func TestBorrow(t *testing.T) {
	const block = 512
	piece := block + block/3
	data := randomBytes(200 * block)
	f := &memFile{data: data}
	a := NewAhead(f, int64(len(data)), block, true)
	if p, _ := a.Borrow(0, piece); p != nil {
		t.Error("lent what nobody has begun to read")
	}
	if _, err := a.ReadAt(make([]byte, 1), 0); err != nil {
		t.Fatal(err)
	}
	held, n := make(map[int][]byte), 0
	var loans []Loan
	for off := 0; off+piece <= len(data); off += piece {
		p, l := a.Borrow(int64(off), piece)
		if p == nil {
			p = make([]byte, piece)
			if _, err := a.ReadAt(p, int64(off)); err != nil {
				t.Fatal(err)
			}
		} else {
			n += piece
			if len(loans) < 3 {
				held[off], loans = p, append(loans, l)
			} else {
				l.Release()
			}
		}
		if !bytes.Equal(p, data[off:off+piece]) {
			t.Errorf("other bytes at %d", off)
		}
	}
	if n < len(data)/2 || f.usual > 0 {
		t.Errorf("of %d bytes %d were lent and %d read as usual", len(data), n, f.usual)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	for off, p := range held {
		if !bytes.Equal(p, data[off:off+piece]) {
			t.Errorf("what was lent at %d has changed", off)
		}
	}
	for _, l := range loans {
		if a.memory.bytes == nil {
			t.Error("the memory is given away while parts of it are lent")
		}
		l.Release()
	}
	if a.memory.bytes != nil || a.lent != 0 {
		t.Errorf("%d slots are lent, memory of %d bytes isn't given away", a.lent, len(a.memory.bytes))
	}
}

// TestBorrowMost checks that reading ahead goes on, however much a caller borrows and keeps.
func TestBorrowMost(t *testing.T) {
	const block = 512
	data := randomBytes(200 * block)
	f := &memFile{data: data}
	a := NewAhead(f, int64(len(data)), block, true)
	var loans []Loan
	got := make([]byte, block)
	for off := 0; off+block <= len(data); off += block {
		if _, err := a.ReadAt(got, int64(off)); err != nil || !bytes.Equal(got, data[off:off+block]) {
			t.Fatalf("at %d: %v", off, err)
		}
		if p, l := a.Borrow(int64(off), block); p != nil {
			loans = append(loans, l)
		}
	}
	if len(loans) == 0 || len(loans) > maxLent {
		t.Errorf("%d blocks are lent", len(loans))
	}
	if f.usual > len(data)/2 {
		t.Errorf("%d of %d bytes were read as usual", f.usual, len(data))
	}
	for _, l := range loans {
		l.Release()
	}
	if err := a.Close(); err != nil || a.memory.bytes != nil {
		t.Errorf("%v, memory of %d bytes", err, len(a.memory.bytes))
	}
}

// TestBorrowNothing checks that what is unreadable or missing isn't lent.
func TestBorrowNothing(t *testing.T) {
	data := randomBytes(20_000)
	for name, c := range map[string]struct {
		f    *memFile
		size int64
		good int64 // bytes at or after it aren't lent
	}{
		"a bad sector":           {&memFile{data: data, bad: 9_000}, 20_000, 9_000},
		"a file that is shorter": {&memFile{data: data[:9_000]}, 20_000, 9_000},
		"the end":                {&memFile{data: data}, 19_000, 19_000},
		"all is cached":          {&memFile{data: data, cached: func(int64) bool { return true }}, 20_000, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := NewAhead(c.f, c.size, 512, true)
			defer a.Close()
			for off := int64(-1); off < 21_000; off += 100 {
				p := make([]byte, 300)
				n, err := a.ReadAt(p, off)
				lent, l := a.Borrow(off, 300)
				if lent == nil {
					continue
				}
				if off+300 > c.good || err != nil || !bytes.Equal(lent, p[:n]) {
					t.Errorf("lent at %d; read %d bytes there, %v", off, n, err)
				}
				l.Release()
			}
			if a.lent != 0 {
				t.Errorf("%d slots are lent", a.lent)
			}
		})
	}
}

// TestBorrowMany checks that several goroutines can read and borrow at scattered offsets.
func TestBorrowMany(t *testing.T) {
	const block = 512
	data := randomBytes(100 * block)
	a := NewAhead(&memFile{data: data}, int64(len(data)), block, true)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 5))
			type lent struct {
				off  int
				p    []byte
				loan Loan
			}
			var held []lent
			const rounds = 400
			for i := range rounds {
				off, n := rnd.IntN(len(data)), rnd.IntN(4*block)
				if p, l := a.Borrow(int64(off), n); p != nil {
					held = append(held, lent{off, p, l})
				} else if _, err := a.ReadAt(make([]byte, n), int64(off)); err != nil && err != io.EOF { //nolint:errorlint // the contract of io.ReaderAt
					t.Error(err)
				}
				for len(held) > 0 && (i == rounds-1 || len(held) > rnd.IntN(3)) {
					h := held[0]
					if held = held[1:]; !bytes.Equal(h.p, data[h.off:h.off+len(h.p)]) {
						t.Errorf("other bytes at %d", h.off)
					}
					h.loan.Release()
				}
			}
		})
	}
	all.Wait()
	if err := a.Close(); err != nil || a.memory.bytes != nil || a.lent != 0 {
		t.Errorf("%v, %d slots are lent, memory of %d bytes", err, a.lent, len(a.memory.bytes))
	}
}
