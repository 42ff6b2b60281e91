package sqlite

import (
	"bytes"
	"os"
	"testing"

	"rsros/test/need"
)

// FuzzPages reads everything from arbitrary bytes. Nothing may take more memory than their size
// justifies.
func FuzzPages(f *testing.F) {
	b, err := os.ReadFile("../../testdata/small.db3")
	need.Must(f, err)
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
			_ = p.Rows(o.Root, func(*Cell) error { rows++; return nil }) // the error concerns the same pages
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

// FuzzDeclaration parses arbitrary text as the declaration of a table.
func FuzzDeclaration(f *testing.F) {
	for _, sql := range []string{
		"CREATE TABLE t(id INTEGER PRIMARY KEY, \"a\"\"b\" TEXT NOT NULL DEFAULT 'it''s', [c d] VARCHAR(10, 2) /* a */ -- b\n, e AS (a + 1) STORED, UNIQUE (id))",
		"CREATE TABLE t(a DEFAULT (x'00'), b NUMERIC DEFAULT -1e+5 CHECK (b > 0), c REFERENCES t(a) ON DELETE SET NULL) STRICT",
		"CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID", "CREATE VIRTUAL TABLE t USING fts5(x)", "CREATE TABLE t(a, ", "CREATE TABLE t(a '",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		columns, err := parseTable("t", sql)
		if len(columns) > maxColumns || err != nil && len(columns) > 0 {
			t.Fatalf("%d columns, %v", len(columns), err)
		}
		for _, c := range columns {
			if c.missing.size != int64(len(c.missing.added)) || len(c.Name) > len(sql) {
				t.Fatalf("%+v", c)
			}
		}
	})
}
