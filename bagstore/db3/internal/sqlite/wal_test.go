package sqlite

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"rsros/test/need"
)

const testPage = 512

// frame is a page in a log; pages is the size of the database if it ends a transaction.
type frame struct{ number, pages uint32 }

// buildLog writes a log in either byte order of the checksums. Each page is filled with its frame
// number.
func buildLog(order binary.ByteOrder, frames ...frame) []byte {
	be := binary.BigEndian
	magic := uint32(walMagic)
	if order == binary.BigEndian {
		magic++
	}
	log := be.AppendUint32(nil, magic)
	for _, v := range []uint32{walVersion, testPage, 1, 0x1234, 0x5678} {
		log = be.AppendUint32(log, v)
	}
	sum := checksum{order: order}
	sum.add(log)
	log = be.AppendUint32(be.AppendUint32(log, sum.s0), sum.s1)
	for i, f := range frames {
		head := be.AppendUint32(be.AppendUint32(nil, f.number), f.pages)
		page := bytes.Repeat([]byte{byte(i + 1)}, testPage)
		sum.add(head)
		sum.add(page)
		log = append(append(log, head...), 0, 0, 0x12, 0x34, 0, 0, 0x56, 0x78)
		log = append(be.AppendUint32(be.AppendUint32(log, sum.s0), sum.s1), page...)
	}
	return log
}

func TestWAL(t *testing.T) {
	db := bytes.Repeat([]byte{0xdb}, 3*testPage)
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		// Page 2 twice, page 4 new, and a transaction without its end.
		log := buildLog(order, frame{2, 0}, frame{4, 4}, frame{2, 4}, frame{1, 0})
		w, err := OpenWAL(bytes.NewReader(db), int64(len(db)), bytes.NewReader(log), int64(len(log)))
		need.Must(t, err)
		if w.Pages() != 2 || w.Size() != 4*testPage {
			t.Errorf("%d pages, %d bytes", w.Pages(), w.Size())
		}
		got := make([]byte, 5*testPage)
		if n, err := w.ReadAt(got, 0); n != 4*testPage || err != io.EOF { //nolint:errorlint // as it is
			t.Fatalf("%d bytes, %v", n, err)
		}
		for page, want := range []byte{0xdb, 3, 0xdb, 2} {
			if !bytes.Equal(got[page*testPage:][:testPage], bytes.Repeat([]byte{want}, testPage)) {
				t.Errorf("page %d begins with %x, want %x", page+1, got[page*testPage], want)
			}
		}
		lies := buildLog(order, frame{2, 6})
		if w, err := OpenWAL(bytes.NewReader(db), int64(len(db)), bytes.NewReader(lies), int64(len(lies))); err == nil {
			t.Errorf("a log of one page makes a database of %d bytes", w.Size())
		}
		// Damage ends the log.
		log[walHeader+2*(walFrame+testPage)+100] ^= 1
		if w, err = OpenWAL(bytes.NewReader(db), int64(len(db)), bytes.NewReader(log), int64(len(log))); err != nil {
			t.Fatal(err)
		}
		if _, err := w.ReadAt(got[:testPage], testPage); err != nil || got[0] != 1 {
			t.Errorf("page 2 begins with %x, %v", got[0], err)
		}
	}
}

// FuzzWAL reads arbitrary bytes as a log: reads stay in bounds and always end.
func FuzzWAL(f *testing.F) {
	f.Add(buildLog(binary.LittleEndian, frame{2, 0}, frame{4, 4}))
	f.Add(buildLog(binary.BigEndian, frame{1, 1}))
	f.Fuzz(func(t *testing.T, log []byte) {
		db := make([]byte, 2*testPage)
		w, err := OpenWAL(bytes.NewReader(db), int64(len(db)), bytes.NewReader(log), int64(len(log)))
		if err == nil {
			readAround(t, w)
		}
	})
}

// readAround reads at the edges of a database.
func readAround(t *testing.T, o *Overlay) {
	b := make([]byte, 4*testPage)
	for _, at := range []int64{0, 100, testPage, max(0, o.Size()-10)} {
		if n, err := o.ReadAt(b, at); n < len(b) && err == nil {
			t.Fatalf("%d bytes at %d of %d without an error", n, at, o.Size())
		}
	}
}
