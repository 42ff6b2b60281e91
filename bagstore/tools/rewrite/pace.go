package rewrite

import (
	"context"

	"rsros/bagstore"
)

// pace tells progress and looks for the end of the context every few messages.
type pace struct {
	ctx         context.Context
	progress    bagstore.Progress
	done, total uint64
}

func (p *pace) step() error {
	p.done++
	if p.done%256 != 0 && p.done != p.total {
		return nil
	}
	p.progress.Report(p.done, p.total)
	return p.ctx.Err()
}
