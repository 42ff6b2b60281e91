package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	journalMagic  = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
	journalHeader = 28 // and zeros to the end of a sector
	journalRecord = 8  // the page's number before the page, the checksum after it
	journalStep   = 200
	wholeJournal  = math.MaxUint32
)

// Hot reports whether a file that begins with head is the journal of an incomplete transaction.
func Hot(head []byte) bool {
	return len(head) >= len(journalMagic) && string(head[:len(journalMagic)]) == journalMagic
}

// journalSection is a header of the journal and what it counts.
type journalSection struct {
	records uint32 // that follow; wholeJournal: as many as there are
	salt    uint32 // of their checksums
	pages   uint32 // of the database before the transaction
	sector  int64
}

// OpenJournal undoes an incomplete transaction, as SQLite would by writing to the database. The
// journal and the database stay the caller's.
func OpenJournal(db io.ReaderAt, size int64, journal io.ReaderAt, journalSize int64) (*Overlay, error) {
	o := newOverlay(db, size, journal)
	first, err := o.section(0)
	if err != nil {
		return nil, fmt.Errorf("header of the journal: %w", err)
	}
	tail := make([]byte, len(journalMagic))
	_, err = readAt(journal, tail, journalSize-int64(len(tail)))
	if err == nil && string(tail) == journalMagic && journalSize > journalHeader {
		return nil, ErrSuperJournal
	}
	o.size = int64(first.pages) * o.page
	if err := o.undo(first, journalSize); err != nil {
		return nil, err
	}
	if err := o.possible(first.pages); err != nil {
		return nil, fmt.Errorf("header of the journal: %w", err)
	}
	return o, nil
}

// undo adds the pages of all sections.
func (o *Overlay) undo(first journalSection, journalSize int64) error {
	for s, at := first, int64(0); ; {
		at += s.sector
		next, more, err := o.records(s, at, journalSize)
		if err != nil || !more {
			return err
		}
		at = (next + s.sector - 1) / s.sector * s.sector
		if s, err = o.section(at); err != nil {
			return nil // the rest of an older journal, or nothing
		}
	}
}

// section reads a header. The first one has the size of pages.
func (o *Overlay) section(at int64) (s journalSection, err error) {
	head := make([]byte, journalHeader)
	if _, err := readAt(o.side, head, at); err != nil {
		return s, err
	}
	if !Hot(head) {
		return s, errors.New("no journal of SQLite")
	}
	be := binary.BigEndian
	s = journalSection{be.Uint32(head[8:]), be.Uint32(head[12:]), be.Uint32(head[16:]), int64(be.Uint32(head[20:]))}
	if s.sector < 32 || s.sector > 64<<10 || s.sector&(s.sector-1) != 0 {
		return s, fmt.Errorf("sectors of %d bytes", s.sector)
	}
	if o.page == 0 {
		err = o.setPage(be.Uint32(head[24:]))
	}
	return s, err
}

// records adds the pages of a section, up to the first torn one, which SQLite didn't write to the
// database yet. more is false at the end of the journal.
func (o *Overlay) records(s journalSection, at, end int64) (next int64, more bool, err error) {
	if s.records == 0 {
		return at, true, nil
	}
	record := make([]byte, journalRecord+o.page)
	for n := uint32(0); s.records == wholeJournal || n < s.records; n++ {
		if at+int64(len(record)) > end {
			return at, false, nil
		}
		if _, err := readAt(o.side, record, at); err != nil {
			return at, false, fmt.Errorf("journal at byte %d: %w", at, err)
		}
		be, page := binary.BigEndian, record[4:4+o.page]
		number, sum := be.Uint32(record), be.Uint32(record[4+o.page:])
		if number == 0 || int64(number) == lockByte/o.page+1 || sum != journalSum(s.salt, page) {
			return at, false, nil
		}
		if int64(number)*o.page <= o.size {
			o.pages[number] = at + 4
		}
		at += int64(len(record))
	}
	return at, true, nil
}

// journalSum is over every 200th byte of a page, from its end.
func journalSum(salt uint32, page []byte) uint32 {
	for i := len(page) - journalStep; i > 0; i -= journalStep {
		salt += uint32(page[i])
	}
	return salt
}
