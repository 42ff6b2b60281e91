package play

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"rsros/node/control"
	"rsros/node/internal/loop"
	"rsros/node/replay"
)

// line shows a player's state. On a terminal, it is one line that is redrawn at
// most 10 times a second; elsewhere, a line is written at each change of state.
type line struct {
	out      io.Writer
	terminal bool
	last     string // line drawn
	state    replay.State
}

const linePeriod = 100 * time.Millisecond

func startLine(o *Options, p *replay.Player) (stop func()) {
	if o.Out == nil || o.Quiet {
		return func() {}
	}
	f, ok := o.Out.(*os.File)
	l := &line{out: o.Out, terminal: ok && term.IsTerminal(int(f.Fd()))}
	if l.terminal && o.Keys != nil {
		fmt.Fprintln(l.out, keysHelp)
	}
	end := loop.Run(context.Background(), func(ctx context.Context) {
		loop.Every(ctx, linePeriod, func(time.Time) { l.draw(p.Status()) })
	})
	return func() {
		end()
		l.draw(p.Status())
		fmt.Fprintln(l.out)
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
