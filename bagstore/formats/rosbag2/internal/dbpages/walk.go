package dbpages

// walkBytes is what EachLeaf reads at once.
const walkBytes = 1 << 20

// EachLeaf calls each for every page in the file that has the form of a table's leaf, until it
// returns false. The page is valid during the call.
func (f *File) EachLeaf(each func(number uint32, page []byte) bool) {
	r := f.newReader(walkBytes)
	for number := uint32(1); number <= f.count; number++ {
		b, err := r.Page(number)
		if err == nil && b[headAt(number)] == kindLeaf && !each(number, b) {
			return
		}
	}
}
