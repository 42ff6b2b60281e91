// Package keys reads keys from a terminal, a pipe or a file.
package keys

import (
	"context"
	"os"
	"regexp"
	"time"
	"unicode/utf8"
)

// Handler is told of what happens at the terminal.
type Handler struct {
	// a key of a terminal, or what a pipe has; an arrow key is three bytes, and may come in parts
	Typed   func(input string)
	Suspend func() (resume func()) // Ctrl-Z; may be nil
	Hangup  func()                 // the terminal is gone; nil leaves the signal to others
}

// poll is how often Read checks whether to continue.
const poll = 100 * time.Millisecond

// arrows are arrow keys, and the parts in which one may come.
var arrows = regexp.MustCompile(`\x1b?\[[A-D]|\x1b`)

// isText reports whether input is text that was pasted, rather than a key.
func isText(input string) bool { return utf8.RuneCountInString(arrows.ReplaceAllString(input, "")) > 1 }

// Read reads keys until ctx or the input ends. Meanwhile a terminal delivers each key at once, without echo. What was
// typed before at a terminal, and text that is pasted, were meant for a shell: they are dropped.
func Read(ctx context.Context, file *os.File, h Handler) {
	terminal := newTerminal(file, h)
	defer terminal.close()
	buf, text := make([]byte, 64), false
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
		// The end of a text, too, is dropped: it goes on until nothing comes for a while.
		if text = n > 0 && terminal.interactive() && (text || isText(string(buf[:n]))); n > 0 && !text {
			h.Typed(string(buf[:n]))
		}
	}
}
