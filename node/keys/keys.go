// Package keys reads keys from a terminal, a pipe or a file.
package keys

import (
	"context"
	"os"
	"time"
)

// Handler is told of what happens at the terminal.
type Handler struct {
	Typed   func(input string)     // what was typed; an arrow key is three bytes, and may come in parts
	Suspend func() (resume func()) // Ctrl-Z; may be nil
	Hangup  func()                 // the terminal is gone; nil leaves the signal to others
}

// poll is how often Read checks whether to continue.
const poll = 100 * time.Millisecond

// Read reads keys until ctx or the input ends. Meanwhile a terminal delivers each key at once, without echo.
func Read(ctx context.Context, file *os.File, h Handler) {
	terminal := newTerminal(file, h)
	defer terminal.close()
	buf := make([]byte, 64)
	for ctx.Err() == nil {
		terminal.handleSignals(ctx)
		if !terminal.claim() {
			select {
			case <-ctx.Done():
			case <-time.After(poll): // until in the foreground
			}
			continue
		}
		n, err := terminal.read(buf)
		if err != nil {
			return // end of the input
		}
		if n > 0 {
			h.Typed(string(buf[:n]))
		}
	}
}
