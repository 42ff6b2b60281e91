package program

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// linesLimit is how many lines wait for their reader.
	linesLimit = 1024
	// readerWait is how long AwaitReader waits.
	readerWait = 2 * time.Second
)

// Lines writes a log on a goroutine of its own, so that nobody who logs waits for a terminal that Ctrl-S has stopped or
// for a pipe that nobody reads. Lines for which there is no room are counted, and the log says how many.
type Lines struct {
	queue chan []byte // nil ends it
	left  atomic.Int64
	done  chan struct{}
}

// NewLines returns Lines that write to w until Close.
func NewLines(w io.Writer) *Lines {
	l := &Lines{queue: make(chan []byte, linesLimit), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for line := <-l.queue; line != nil; line = <-l.queue {
			if n := l.left.Swap(0); n > 0 {
				line = fmt.Appendf(line, "(nobody read the log: %d lines of it were left out)\n", n)
			}
			_, _ = w.Write(line) // nobody is left to tell
		}
	}()
	return l
}

// Write queues a line. It never blocks.
func (l *Lines) Write(line []byte) (int, error) {
	select {
	case l.queue <- append([]byte{}, line...):
	default:
		l.left.Add(1)
	}
	return len(line), nil
}

// Close waits for the reader of the lines, see AwaitReader. Later lines are lost.
func (l *Lines) Close() error {
	AwaitReader(func() {
		l.queue <- nil
		<-l.done
	})
	return nil
}

// AwaitReader returns when write has returned, or earlier if nobody reads what it writes.
func AwaitReader(write func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		write()
	}()
	select {
	case <-done:
	case <-time.After(readerWait):
	}
}
