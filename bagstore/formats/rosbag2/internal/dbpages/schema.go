package dbpages

// Roots returns the root pages of the tables that the schema names, as far as it can be read.
func (f *File) Roots() map[string]uint32 {
	roots := make(map[string]uint32)
	const schemaRoot = 1
	r := f.NewPageReader()
	leaf := make([]byte, f.page)
	for _, l := range f.Tree(schemaRoot, f.NewSet()).Leaves {
		b, err := r.Page(l.Page)
		if err != nil {
			continue
		}
		copy(leaf, b)
		f.EachRow(leaf, l.Page, func(c Cell) bool {
			// type, name, tbl_name, rootpage, sql
			if len(c.Columns) != 5 || !c.Columns[3].IsInt() || !c.Columns[1].IsText() || c.Columns[0].Size()+c.Columns[1].Size() > maxName {
				return true
			}
			root, ok := c.Int(3)
			kind, err := r.Value(&c, 0, atMost(maxName))
			name, err2 := r.Value(&c, 1, atMost(maxName))
			if ok && err == nil && err2 == nil && string(kind) == "table" && root > 0 && root <= int64(f.count) {
				roots[string(name)] = uint32(root)
			}
			return len(roots) < maxTables
		})
	}
	return roots
}

// Limits of a schema.
const (
	maxName   = 1000
	maxTables = 1000
)

func atMost(limit int) func(int) []byte {
	return func(n int) []byte { return make([]byte, 0, min(n, limit)) }
}
