package bagstore

// Progress is called now and then with how much of the work is done and how much there
// is. The calls come from the goroutine that works. A nil Progress is allowed.
type Progress func(done, total uint64)

// Report calls p, unless it is nil.
func (p Progress) Report(done, total uint64) {
	if p != nil {
		p(done, total)
	}
}
