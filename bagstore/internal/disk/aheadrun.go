package disk

const (
	// runReach is the maximum distance of a read from its run, in bytes.
	runReach = 8 << 20
	// runLeast is the number of bytes requested before a run is read ahead.
	runLeast = 512 << 10
	// runSpan limits the length of a run that counts.
	runSpan = 64 << 20
	// runShare: at least one in runShare bytes of a run must be requested.
	runShare = 3
)

// run is a part of the file that is read progressively, such as messages, or an index.
type run struct {
	start, end int64
	asked      int64  // approximate number of requested bytes
	used       uint64 // clock at the last read
}

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
	r.asked = min(r.asked+end-off, r.end-r.start) // bytes read twice count twice
	if span := r.end - r.start; span > runSpan {
		r.start += span / 2
		r.asked /= 2
	}
	return r.asked >= runLeast && r.asked >= (r.end-r.start)/runShare
}
