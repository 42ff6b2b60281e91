package play

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"rsros/node/control"
	"rsros/node/replay"
)

// line shows a player's state. On a terminal, it is one line that is redrawn at
// most 10 times a second; elsewhere, a line is written at each change of state.
type line struct {
	out        io.Writer
	terminal   bool
	player     *replay.Player
	last       string // line drawn
	state      replay.State
	quit, done chan struct{}
}

const linePeriod = 100 * time.Millisecond

func startLine(o *Options, p *replay.Player) *line {
	l := &line{out: o.Out, player: p, quit: make(chan struct{}), done: make(chan struct{})}
	if o.Out == nil || o.Quiet {
		close(l.done)
		return l
	}
	f, ok := o.Out.(*os.File)
	l.terminal = ok && term.IsTerminal(int(f.Fd()))
	if l.terminal && o.Keys != nil {
		fmt.Fprintln(l.out, keysHelp)
	}
	go l.run()
	return l
}

func (l *line) run() {
	defer close(l.done)
	tick := time.NewTicker(linePeriod)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.draw(l.player.Status())
		case <-l.quit:
			l.draw(l.player.Status())
			fmt.Fprintln(l.out)
			return
		}
	}
}

func (l *line) draw(s replay.Status) {
	text := stateLine(s)
	switch {
	case l.terminal && text != l.last:
		// The previous line may have been longer.
		fmt.Fprintf(l.out, "\r%s%s\r", text, strings.Repeat(" ", max(len(l.last)-len(text), 0)))
	case !l.terminal && s.State != l.state:
		fmt.Fprintln(l.out, text)
	}
	l.last, l.state = text, s.State
}

// stop draws the final state and ends the goroutine.
func (l *line) stop() {
	close(l.quit)
	<-l.done
}

// stateLine returns rosbag play's line and anything unusual.
func stateLine(s replay.Status) string {
	line := fmt.Sprintf(" [%-7s]  Bag Time: %13.6f   Duration: %.6f / %.6f",
		strings.ToUpper(string(s.State)), s.Time.Seconds(), s.Position.Seconds(), s.Length.Seconds())
	if s.State == replay.Delayed {
		line += fmt.Sprintf("   Delay: %.2f", s.Behind.Seconds())
	}
	if s.Rate != 1 {
		line += fmt.Sprintf("   Rate: %.3g", s.Rate)
	}
	if s.Round > 0 {
		line += fmt.Sprintf("   Round: %d", s.Round+1)
	}
	if s.Late > control.LateWarning {
		line += fmt.Sprintf("   Late: %.0f ms", s.Late.Seconds()*1e3)
	}
	if s.Dropped > 0 {
		line += fmt.Sprintf("   Dropped: %d", s.Dropped)
	}
	if s.Skipped > 0 {
		line += fmt.Sprintf("   Skipped: %d", s.Skipped)
	}
	return line
}
