package node

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress redraws one line with the time gone by, on a terminal; elsewhere it
// prints nothing.
type progress struct {
	quit, done chan struct{}
}

func startProgress(w io.Writer, total time.Duration) *progress {
	p := &progress{make(chan struct{}), make(chan struct{})}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		close(p.done)
		return p
	}
	go p.run(w, total)
	return p
}

func (p *progress) run(w io.Writer, total time.Duration) {
	defer close(p.done)
	defer fmt.Fprint(w, "\r\x1b[K") // clear the line
	start := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			gone := min(time.Since(start), total)
			const width = 40
			filled := int(float64(width) * float64(gone) / float64(total))
			fmt.Fprintf(w, "\r          [%-*s] %.1f/%.1f s", width, bar(filled), gone.Seconds(), total.Seconds())
		case <-p.quit:
			return
		}
	}
}

func bar(n int) string {
	const full = "########################################"
	return full[:min(max(n, 0), len(full))]
}

func (p *progress) stop() {
	close(p.quit)
	<-p.done
}
