package replay

import (
	"context"
	"sync"
)

// inbox queues submitted commands.
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

// Submit queues a command and doesn't wait for its result.
func (p *Player) Submit(c Command) { p.submit(request{c, nil}) }

// Do queues a command, waits until the player has executed it, and returns its result.
// It returns ErrStopped if playback ends before that, and ctx's error if ctx does. It
// must not be called by the goroutine of Run, which calls the methods of Output and
// Clock.
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
