package replay

import (
	"context"
	"sync"
)

// inbox holds the commands that were submitted and not yet carried out.
type inbox struct {
	mu       sync.Mutex
	requests []request
}

type request struct {
	command Command
	reply   chan<- error // nil if nobody waits
}

func (b *inbox) put(r request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, r)
}

func (b *inbox) take() []request {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.requests
	b.requests = nil
	return taken
}

// Submit hands in a command and doesn't wait for its result.
func (p *Player) Submit(c Command) { p.submit(request{c, nil}) }

// Do hands in a command and returns its result once the player has carried it out.
// It returns ErrStopped if playback ends before that, and ctx's error if ctx does.
// The goroutine of Run, in which the methods of Output and Clock are called, must
// not call it.
func (p *Player) Do(ctx context.Context, c Command) error {
	reply := make(chan error, 1)
	p.submit(request{c, reply})
	select {
	case err := <-reply:
		return err
	case <-p.done:
		select {
		case err := <-reply: // the command that ended playback
			return err
		default:
			return ErrStopped
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Player) submit(r request) {
	p.inbox.put(r)
	p.clock.Wake()
}
