package bagstore

import "context"

// Progress is called with the work done and in total, by the goroutine that works. It may be nil.
type Progress func(done, total uint64)

// Report calls p, unless it is nil.
func (p Progress) Report(done, total uint64) {
	if p != nil {
		p(done, total)
	}
}

// Pace counts the steps of an operation, reports progress and checks the context.
type Pace struct {
	Ctx         context.Context
	Progress    Progress
	Done, Total uint64 // usually messages
}

// Step counts a step and returns the context's error.
func (p *Pace) Step() error { return p.Steps(1) }

// Steps counts several steps at once.
func (p *Pace) Steps(n uint64) error {
	p.Done += n
	if p.Done%64 < n || p.Done == p.Total {
		p.Progress.Report(p.Done, p.Total)
	}
	return p.Ctx.Err()
}
