package dbpages

// walkBytes is what EachLeaf reads at once.
const walkBytes = 1 << 20

// EachLeaf calls each for every page in the file that has the form of a table's leaf. The page
// is valid during the call.
func (f *File) EachLeaf(each func(number uint32, page []byte) error) error {
	many, one := &Reader{f: f, ahead: max(1, walkBytes/f.page)}, f.NewPageReader()
	for number := uint32(1); number <= f.count; number++ {
		b, err := many.Page(number)
		if err != nil { // something in a megabyte can't be read from the disk
			b, err = one.Page(number)
		}
		if err == nil && b[headAt(number)] == kindLeaf {
			if err := each(number, b); err != nil {
				return err
			}
		}
	}
	return nil
}
