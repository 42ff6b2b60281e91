package db3

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
	"rsros/test/need"
)

// renumber replaces a row id, in a page that the table's tree leads to, with another of the same
// length.
func renumber(t *testing.T, b []byte, from, to uint64) {
	t.Helper()
	f, err := OpenReader(bytes.NewReader(b), int64(len(b)), "test")
	need.Must(t, err)
	var leaves []uint32
	f.pages.Tree(f.rows.table.Root, f.pages.NewSet(), func(l sqlite.Leaf, _ []byte) bool {
		leaves = append(leaves, l.Page)
		return true
	})
	old, wrong := varint(from), varint(to)
	for _, number := range leaves {
		page := b[int(number-1)*4096:][:4096]
		for i := range int(binary.BigEndian.Uint16(page[3:])) {
			cell := page[binary.BigEndian.Uint16(page[8+2*i:]):]
			size := 1
			for cell[size-1] >= 0x80 {
				size++
			}
			if row := cell[size:]; bytes.HasPrefix(row, old) && len(wrong) == len(old) {
				copy(row, wrong)
				return
			}
		}
	}
	t.Fatalf("no row %d, or %d takes other bytes", from, to)
}

// TestWrongNumber checks that a row with the id of another, or with one that no row has, hides no
// message, and that none is reported missing.
func TestWrongNumber(t *testing.T) {
	whole := liveFile(t, func(int) int { return 300 })
	want, _, err := readAll(whole)
	if err != nil || len(want) != 300 {
		t.Fatalf("%d messages, %v", len(want), err)
	}
	for _, change := range [][2]uint64{
		{1, 65}, {1, 9}, {6, 70}, {70, 6}, {6, 9}, {9, 6}, {70, 127}, {127, 70}, {200, 300}, {200, 1000}, {295, 1000}, {300, 140}, {300, 296},
	} {
		t.Run(fmt.Sprint(change), func(t *testing.T) {
			b := slices.Clone(whole)
			renumber(t, b, change[0], change[1])
			got, f, err := readAll(b)
			need.Must(t, err)
			slices.SortFunc(got, func(a, b row) int { return cmp.Compare(a.Time, b.Time) })
			if !f.rescued || !slices.Equal(got, want) {
				t.Errorf("%d messages, want %d", len(got), len(want))
			}
			for _, n := range f.Info().Notes {
				if n.Severity == bagstore.Loss {
					t.Error(n)
				}
			}
		})
	}
}
