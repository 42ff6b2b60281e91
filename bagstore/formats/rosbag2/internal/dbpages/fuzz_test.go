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
		p := Open(bytes.NewReader(b), int64(len(b)))
		if p == nil {
			return
		}
		free, _ := p.Free()
		seen := p.NewSet()
		for _, root := range p.Roots() {
			tree := p.Tree(root, seen)
			if len(tree.Leaves) > int(p.Pages()) || len(tree.Holes) > maxHoles {
				t.Fatalf("%d leaves and %d holes of %d pages", len(tree.Leaves), len(tree.Holes), p.Pages())
			}
		}
		r := p.NewReader()
		p.EachLeaf(func(number uint32, page []byte) bool {
			_ = free.Has(number)
			p.EachRow(page, number, func(c Cell) bool {
				for i, col := range c.Columns {
					c.Int(i)
					if col.Size() > int64(len(b)) {
						t.Fatalf("a value of %d bytes in %d", col.Size(), len(b))
					}
					v, err := r.Value(&c, i, func(n int) []byte { return make([]byte, 0, n) })
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
