package db3

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rsros/test/need"
)

// sharedChain is a database whose topics' offered profiles all share one chain of pages.
func sharedChain(topics, chain int) (b []byte, profiles int) {
	const (
		page   = 512
		inLeaf = 39 // length of a record of as many pages as there are
		each   = 9  // rows in a leaf
	)
	values := []byte("/apkg/Tcdr")
	head := []byte{8, 0, 13 + 2*2, 13 + 2*5, 13 + 2*3}
	profiles = inLeaf - len(head) - 3 - len(values) + chain*(page-4)
	head = append(head, varint(uint64(13+2*profiles))...)
	record := append(append(head, values...), bytes.Repeat([]byte{'q'}, inLeaf)...)[:inLeaf]
	leaves := (topics + each - 1) / each
	for n := range leaves {
		leaf := make([]byte, page)
		leaf[0], leaf[4] = 0x0d, each
		at := page
		for i := range each {
			cell := append(varint(uint64(inLeaf+chain*(page-4))), varint(uint64(1+n*each+i))...)
			cell = binary.BigEndian.AppendUint32(append(cell, record...), uint32(leaves+2))
			at -= len(cell)
			copy(leaf[at:], cell)
			binary.BigEndian.PutUint16(leaf[8+2*i:], uint16(at))
		}
		b = append(b, leaf...)
	}
	for n := range chain {
		b = binary.BigEndian.AppendUint32(b, uint32(leaves+n+3))
		b = append(b, bytes.Repeat([]byte{'q'}, page-4)...)
	}
	binary.BigEndian.PutUint32(b[len(b)-page:], 0)
	first := make([]byte, page) // the header
	copy(first, "SQLite format 3\x00\x02\x00")
	return append(first, b...), profiles
}

// TestSharedChain checks that rows that share their text's pages take no more memory than descriptions
// may.
func TestSharedChain(t *testing.T) {
	for _, c := range []struct{ topics, chain, least, most int }{
		{18, 100, 18 * 50000, 18 * maxShort}, // all of them
		{18, 200, 0, 0},                      // each is too long
		{1350, 118, 0, maxDescriptions},
	} {
		b, profiles := sharedChain(c.topics, c.chain)
		f := &File{r: bytes.NewReader(b), dbSize: int64(len(b)), rows: standardRows()}
		if !f.reopenDamaged() {
			t.Fatal("no pages")
		}
		size := 0
		for _, topic := range f.surveyed().topics {
			size += len(topic.QoS)
		}
		if n := len(f.survey.topics); n == 0 || size < c.least || size > c.most || f.survey.read > maxDescriptions {
			t.Errorf("%d topics with profiles of %d bytes each: %d topics with %d bytes in all, %d were read", c.topics, profiles, n, size, f.survey.read)
		}
	}
}

// TestManyProfiles checks that the same limit holds for a topics table read through SQLite.
func TestManyProfiles(t *testing.T) {
	python := need.Python(t, "sqlite3")
	path := filepath.Join(t.TempDir(), "x.db3")
	build(t, python, path, `ALTER TABLE topics ADD COLUMN offered_qos_profiles TEXT NOT NULL DEFAULT '';
		WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i+1 FROM n WHERE i < 7)
		INSERT INTO topics SELECT i, '/a'||i, 'std_msgs/msg/String', 'cdr', printf('%.*c', 12000000, 'q') FROM n;`)
	f, err := Open(path)
	if err == nil {
		f.Close() //nolint:errcheck // only read
	}
	if err == nil || !strings.Contains(err.Error(), "read topics") {
		t.Errorf("72 MB of profiles: %v", err)
	}
}

// TestCellTwice checks that a message is listed once, whatever refers to it.
func TestCellTwice(t *testing.T) {
	b := slices.Clone(smallBytes(t))
	const page = 512
	for at := page; at < len(b); at += page {
		if b[at] == 0x0d && binary.BigEndian.Uint16(b[at+3:]) > 2 && b[at+int(binary.BigEndian.Uint16(b[at+8:]))+1] > 5 {
			copy(b[at+10:], b[at+8:at+10])
			break
		}
	}
	list, f, err := readAll(b)
	if err != nil || !f.rescued || len(list) != 59 || messages(f) != 59 {
		t.Errorf("%d messages, %v; notes %v", len(list), err, f.Info().Notes)
	}
}

// failing is a file whose reads fail with err once it is set.
type failing struct {
	io.ReaderAt
	err error
}

func (r *failing) ReadAt(p []byte, off int64) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return r.ReaderAt.ReadAt(p, off)
}

// TestUnreadableBlock checks that messages that can't be listed are an error, not none.
func TestUnreadableBlock(t *testing.T) {
	b := slices.Clone(smallBytes(t))
	lostPages(b, 512)
	r := &failing{ReaderAt: bytes.NewReader(b)}
	f, err := OpenReader(r, int64(len(b)), "test")
	need.Must(t, err)
	defer f.Close() //nolint:errcheck // only read
	r.err = os.ErrDeadlineExceeded
	if list, err := f.Entries(nil, 0); !f.rescued || !errors.Is(err, r.err) {
		t.Errorf("%d messages, %v", len(list), err)
	}
}
