package dbpages

import "fmt"

// Edge is the first or the last leaf of a table.
type Edge bool

const (
	First Edge = false
	Last  Edge = true
)

// AtEdge calls each for the rows of one leaf of the table with the root page. It reads only the pages
// that lead there. The Cell is valid during the call.
func (f *File) AtEdge(root uint32, edge Edge, each func(*Cell)) error {
	r, at := f.NewPageReader(), Leaf{root, AllRows()}
	for range maxDepth {
		b, err := r.Page(at.Page)
		if err != nil {
			return err
		}
		if b[headAt(at.Page)] != kindInterior {
			if f.EachRow(b, at.Page, func(c *Cell) bool { each(c); return true }) {
				return nil
			}
			break
		}
		list, sound := f.children(b, at.Page, at.Rows)
		if !sound {
			break
		}
		if at = list[0]; edge == Last {
			at = list[len(list)-1]
		}
	}
	return fmt.Errorf("%w: page %d doesn't lead to rows", ErrDamaged, at.Page)
}
