package bagstore

import "context"

// Progress is called now and then with how much of the work is done and how much there
// is. The calls come from the goroutine that works. A nil Progress is allowed.
type Progress func(done, total uint64)

// Report calls p, unless it is nil.
func (p Progress) Report(done, total uint64) {
	if p != nil {
		p(done, total)
	}
}

// Pace counts the steps of a long work, reports progress and notices the end of its
// context. It is for one goroutine.
type Pace struct {
	Ctx         context.Context
	Progress    Progress
	Done, Total uint64 // usually messages
}

// Step counts a step. It returns the context's error.
func (p *Pace) Step() error {
	p.Done++
	if p.Done%64 == 0 || p.Done == p.Total {
		p.Progress.Report(p.Done, p.Total)
	}
	return p.Ctx.Err()
}
