package disk

const (
	// runReach is how far a read may be from the end of the last one and still go on
	// from it: other messages may lie between.
	runReach = 8 << 20
	// runLeast is how many bytes are asked for before anything is read ahead.
	runLeast = 512 << 10
	// runSpan is how far back is looked at.
	runSpan = 64 << 20
	// runShare: one byte of so many is asked for, or the rest isn't worth reading.
	runShare = 3
)

// run is a part of the file that is being read from place to place. There may be several:
// an index lies apart from the messages that it is of.
type run struct {
	start, end int64
	asked      int64  // bytes of it that were asked for, about
	used       uint64 // when it went on last
}

// observe notes a read and tells whether reading ahead pays.
func (a *Ahead) observe(off, end int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock++
	r := &a.runs[0]
	for i := range a.runs {
		s := &a.runs[i]
		if s.used > 0 && off >= s.end-runReach && off <= s.end+runReach {
			s.used = a.clock
			return s.add(off, end)
		}
		if s.used < r.used {
			r = s
		}
	}
	*r = run{start: off, end: off, used: a.clock}
	return r.add(off, end)
}

func (r *run) add(off, end int64) bool {
	r.start, r.end = min(r.start, off), max(r.end, end)
	r.asked = min(r.asked+end-off, r.end-r.start) // what is read twice counts twice, but no more than all
	if span := r.end - r.start; span > runSpan {
		r.start += span / 2
		r.asked /= 2
	}
	return r.asked >= runLeast && r.asked >= (r.end-r.start)/runShare
}
