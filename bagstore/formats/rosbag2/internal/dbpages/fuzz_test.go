package dbpages

import (
	"bytes"
	"os"
	"testing"
)

// FuzzPages looks for all there is in any bytes. Nothing may take more than the bytes are.
func FuzzPages(f *testing.F) {
	b, err := os.ReadFile("../../testdata/small.db3")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for _, page := range []int{0, 2, 3} {
		spoiled := bytes.Clone(b)
		clear(spoiled[page*512 : (page+1)*512])
		f.Add(spoiled)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p := OpenDamaged(bytes.NewReader(b), int64(len(b)))
		if p == nil {
			return
		}
		free, _ := p.Free()
		objects, _ := p.Schema() // what can be read counts
		seen := p.NewSet()
		for _, o := range objects {
			leaves := 0
			tree := p.Tree(o.Root, seen, func(Leaf, []byte) bool { leaves++; return true })
			if leaves > int(p.count) || len(tree.Holes) > maxHoles {
				t.Fatalf("%d leaves and %d holes of %d pages", leaves, len(tree.Holes), p.count)
			}
			rows := 0
			_ = p.Rows(o.Root, func(*Cell) error { rows++; return nil }) // the error is of the same pages
			if rows > len(b) {
				t.Fatalf("%d rows in %d bytes", rows, len(b))
			}
		}
		r := p.NewReader()
		p.EachLeaf(func(number uint32, page []byte) bool {
			_ = free.Has(number)
			p.EachRow(page, number, func(c *Cell) bool {
				for i, col := range c.Columns {
					c.Int(i)
					v, err := r.Value(c, i, func(n int) []byte {
						if n > len(b) {
							t.Fatalf("a value of %d bytes in %d", n, len(b))
						}
						return make([]byte, 0, n)
					})
					if err == nil && int64(len(v)) != col.Size() {
						t.Fatalf("%d bytes of a value of %d", len(v), col.Size())
					}
				}
				return true
			})
			return true
		})
	})
}
