package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
)

const testSector = 512

// buildJournal writes a journal section in which page n is filled with 0x10+n. If counted is set, the
// header states the number of records, as in a synced journal.
func buildJournal(size uint32, counted bool, numbers ...uint32) []byte {
	be := binary.BigEndian
	records := uint32(wholeJournal)
	if counted {
		records = uint32(len(numbers))
	}
	j := []byte(journalMagic)
	for _, v := range []uint32{records, 0x1234, size, testSector, testPage} {
		j = be.AppendUint32(j, v)
	}
	j = append(j, make([]byte, testSector-len(j))...)
	for _, n := range numbers {
		page := bytes.Repeat([]byte{byte(0x10 + n)}, testPage)
		j = append(be.AppendUint32(j, n), page...)
		j = be.AppendUint32(j, journalSum(0x1234, page))
	}
	return append(j, make([]byte, (testSector-len(j)%testSector)%testSector)...)
}

func TestJournal(t *testing.T) {
	db := bytes.Repeat([]byte{0xdb}, 5*testPage)
	record := journalRecord + testPage
	spoiled := buildJournal(3, false, 2, 1)
	spoiled[testSector+record+4+testPage-journalStep]++
	older := append(buildJournal(3, true, 2), buildJournal(3, true, 1)...)
	copy(older[len(older)-testSector-2*testSector:], "nothing")
	for name, c := range map[string]struct {
		journal []byte
		want    []byte // the first byte of each page; nil: an error
	}{
		"to its end":         {buildJournal(4, false, 2, 4), []byte{0xdb, 0x12, 0xdb, 0x14}},
		"counted":            {buildJournal(3, true, 1, 3), []byte{0x11, 0xdb, 0x13}},
		"two sections":       {append(buildJournal(3, true, 2), buildJournal(9, true, 1)...), []byte{0x11, 0x12, 0xdb}},
		"not yet synced":     {append(buildJournal(3, true), buildJournal(3, false, 2)[testSector:]...), []byte{0xdb, 0xdb, 0xdb}},
		"beyond its pages":   {buildJournal(2, false, 1, 3), []byte{0x11, 0xdb}},
		"torn":               {buildJournal(3, false, 2, 1)[:testSector+record+100], []byte{0xdb, 0x12, 0xdb}},
		"spoiled":            {spoiled, []byte{0xdb, 0x12, 0xdb}},
		"an older section":   {older, []byte{0xdb, 0x12, 0xdb}},
		"page 0":             {buildJournal(3, false, 0, 1), []byte{0xdb, 0xdb, 0xdb}},
		"header only":        {buildJournal(1, true), []byte{0xdb}},
		"pages from nowhere": {buildJournal(9, false, 2, 4), nil},
		"torn header":        {buildJournal(3, true)[:20], nil},
		"another page size":  {slices.Concat(buildJournal(3, true)[:26], []byte{1, 3}, make([]byte, 484)), nil},
		"several databases":  {append(buildJournal(3, false, 1), "x-mj00000001\x00\x00\x00\x01"+journalMagic...), nil},
	} {
		o, err := OpenJournal(bytes.NewReader(db), int64(len(db)), bytes.NewReader(c.journal), int64(len(c.journal)))
		if c.want == nil {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := make([]byte, len(db)+1)
		n, err := o.ReadAt(got, 0)
		if n != len(c.want)*testPage || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %d bytes, %v", name, n, err)
			continue
		}
		for i, want := range c.want {
			if !bytes.Equal(got[i*testPage:][:testPage], bytes.Repeat([]byte{want}, testPage)) {
				t.Errorf("%s: page %d begins with %#x, want %#x", name, i+1, got[i*testPage], want)
			}
		}
	}
}

// FuzzJournal reads arbitrary bytes as a journal: reads stay in bounds and always end.
func FuzzJournal(f *testing.F) {
	f.Add(buildJournal(4, false, 2, 4))
	f.Add(append(buildJournal(3, true, 2), buildJournal(9, true, 1)...))
	f.Fuzz(func(t *testing.T, journal []byte) {
		db := make([]byte, 2*testPage)
		o, err := OpenJournal(bytes.NewReader(db), int64(len(db)), bytes.NewReader(journal), int64(len(journal)))
		if err == nil {
			readAround(t, o)
		}
	})
}
