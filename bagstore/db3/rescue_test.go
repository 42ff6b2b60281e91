package db3

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/test/need"
)

// lostPages zeroes the pages that lead to the leaves: the one with the header and schema, and all
// interior pages.
func lostPages(b []byte, page int) {
	clear(b[:page])
	for at := page; at < len(b); at += page {
		if b[at] == 0x05 {
			clear(b[at : at+page])
		}
	}
}

// liveFile is a file committed after each message, so that it has old versions of many pages.
func liveFile(t *testing.T, sizes func(i int) int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db3")
	w, err := Create(path, bagstore.Options{NoSync: true}, func(w *Writer) error {
		_, err := w.AddTopic(bagstore.Topic{Name: "/text", Type: "std_msgs/msg/String"})
		return err
	})
	need.Must(t, err)
	for i := range 300 {
		if i == 150 {
			if _, err := w.AddTopic(bagstore.Topic{Name: "/late", Type: "std_msgs/msg/String"}); err != nil {
				t.Fatal(err)
			}
		}
		message := append([]byte{0, 1, 0, 0}, bytes.Repeat([]byte{byte(i)}, sizes(i))...)
		need.Must(t, w.Write(1+int64(i)/150, int64(i)+1, message))
		need.Must(t, w.Commit())
	}
	need.Must(t, w.Close())
	b, err := os.ReadFile(path)
	need.Must(t, err)
	return b
}

// TestOldPages checks that a file with old versions of its pages, and nothing left that leads to the
// pages, has each message once, with all its bytes.
func TestOldPages(t *testing.T) {
	for name, sizes := range map[string]func(int) int{
		"small":  func(i int) int { return 4 + i%50 },
		"chains": func(i int) int { return 4 + i*97 },
		"mixed":  func(i int) int { return 4 + i%10*1000 },
	} {
		t.Run(name, func(t *testing.T) {
			b := liveFile(t, sizes)
			want, _, err := readAll(b)
			if err != nil || len(want) != 300 {
				t.Fatalf("%d messages, %v", len(want), err)
			}
			lostPages(b, 4096)
			f, err := OpenReader(bytes.NewReader(b), int64(len(b)), "test")
			need.Must(t, err)
			defer f.Close() //nolint:errcheck // only read
			got := rows(t, f)
			for i := range got {
				got[i].Sum = 0
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d messages, want %d; notes %v", len(got), len(want), f.Info().Notes)
			}
			for i := range f.Blocks() {
				entries, err := f.Entries(nil, i)
				need.Must(t, err)
				for _, e := range entries {
					data, err := f.Read(nil, i, e, func(n int) []byte { return make([]byte, 0, n) })
					if err != nil || len(data) < 5 || len(bytes.TrimLeft(data[4:], string(data[4:5]))) > 0 {
						t.Fatalf("message at %d: %v", e.Time, err)
					}
				}
			}
		})
	}
}

// TestDeletedRows checks that deleted rows of a damaged file stay deleted, as far as anything tells
// them apart.
func TestDeletedRows(t *testing.T) {
	python := need.Python(t, "sqlite3")
	path := filepath.Join(t.TempDir(), "x.db3")
	build(t, python, path, `PRAGMA page_size=512; VACUUM; PRAGMA secure_delete=OFF;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 1500) INSERT INTO messages SELECT i, 1, i, zeroblob(100) FROM n;
		DELETE FROM messages WHERE id BETWEEN 501 AND 1000;`)
	whole, err := os.ReadFile(path)
	need.Must(t, err)
	const page = 512
	var above []int // the interior pages
	for at := page; at < len(whole); at += page {
		if whole[at] == 0x05 {
			above = append(above, at)
		}
	}
	if len(above) < 2 || binary.BigEndian.Uint32(whole[36:]) < 10 {
		t.Fatalf("pages above leaves at %v, %d free pages", above, binary.BigEndian.Uint32(whole[36:]))
	}
	back := 0
	for _, at := range above {
		for _, unlisted := range []bool{false, true} {
			b := slices.Clone(whole)
			clear(b[at : at+page])
			if unlisted {
				binary.BigEndian.PutUint32(b[36:], 3) // the list of free pages is wrong
			}
			list, f, err := readAll(b)
			need.Must(t, err)
			kept, deleted := 0, 0
			for _, r := range list {
				if r.Time > 500 && r.Time <= 1000 {
					deleted++
				} else {
					kept++
				}
			}
			if deleted > 0 {
				back++
			}
			if kept != 1000 || deleted > 0 && !unlisted {
				t.Errorf("page %d is zero, list of free pages wrong %v: %d messages are kept, %d deleted ones are back; notes %v", at/page+1, unlisted, kept, deleted, f.Info().Notes)
			}
		}
	}
	// The root, and the page that led to rows before and after the deleted ones.
	if back > 2 || len(above) < 5 {
		t.Errorf("deleted rows are back with %d of %d pages", back, len(above))
	}
	if list, _, err := readAll(whole); err != nil || len(list) != 1000 {
		t.Errorf("the whole file has %d messages, %v", len(list), err)
	}
}

// TestWrongNumbers checks that a row with a wrong id hides no others.
func TestWrongNumbers(t *testing.T) {
	b := slices.Clone(smallBytes(t))
	const page = 512
	changed := 0
	for at := page; at < len(b); at += page {
		if b[at] != 0x0d || changed == 3 {
			continue
		}
		cell := b[at+int(binary.BigEndian.Uint16(b[at+8:])):]
		if cell[0] < 0x80 && cell[1] > 5 && cell[1] < 50 { // the size in one byte, then the row
			cell[1] |= 0x40
			changed++
		}
	}
	list, f, err := readAll(b)
	if err != nil || changed != 3 || len(list) != 60 || !f.rescued {
		t.Errorf("%d rows changed, %d messages, %v; notes %v", changed, len(list), err, f.Info().Notes)
	}
}
