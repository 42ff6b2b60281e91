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
	"rsros/node/keys"
	"rsros/program/work"
	"rsros/replay"
)

const keysHelp = "space pause  s step  f frame set  ←→ 5 s  ↑↓ 60 s  + - 1 rate  l loop  t pause topics  q quit"

// keyCommands maps keys to commands. An arrow key sends three bytes.
var keyCommands = []struct {
	keys string
	do   func(s replay.Status) replay.Command
}{
	{" ", always(replay.Toggle{})},
	{"s", always(replay.StepMessage{})},
	{"f", always(replay.StepFrameSet{})},
	{"t", always(replay.TogglePauseTopics{})},
	{"q", always(replay.Stop{})},
	{"\x1b[C", always(replay.SeekBy{Distance: 5 * time.Second})},
	{"\x1b[D", always(replay.SeekBy{Distance: -5 * time.Second})},
	{"\x1b[A", always(replay.SeekBy{Distance: 60 * time.Second})},
	{"\x1b[B", always(replay.SeekBy{Distance: -60 * time.Second})},
	{"+", func(s replay.Status) replay.Command { return replay.SetRate{Rate: s.Rate * rateStep} }},
	{"-", func(s replay.Status) replay.Command { return replay.SetRate{Rate: s.Rate / rateStep} }},
	{"1", always(replay.SetRate{Rate: 1})},
	{"l", func(s replay.Status) replay.Command { return replay.SetLoop{On: !s.Loop} }},
}

// rateStep is the factor of a key press. Seven double the rate.
const rateStep = 1.1040895136738123

func always(c replay.Command) func(replay.Status) replay.Command {
	return func(replay.Status) replay.Command { return c }
}

// keyParser keeps an incomplete arrow key until the rest arrives.
type keyParser struct{ pending string }

func (k *keyParser) feed(input string, s replay.Status) (commands []replay.Command) {
	k.pending += input
	for k.pending != "" {
		used := 0
		for _, c := range keyCommands {
			if strings.HasPrefix(k.pending, c.keys) {
				commands, used = append(commands, c.do(s)), len(c.keys)
			} else if strings.HasPrefix(c.keys, k.pending) {
				return commands // the key may be incomplete
			}
		}
		k.pending = k.pending[max(used, 1):]
	}
	return commands
}

// Support for keys, for version --features.
const (
	Keys       = keys.Support
	JobControl = keys.JobControl
)

// startKeys lets keys, from a terminal or not, control the player until stop.
func startKeys(ctx context.Context, o *Options, p *replay.Player) (stop func()) {
	if o.Keys == nil {
		return func() {}
	}
	var parser keyParser
	return work.Run(ctx, func(ctx context.Context) {
		keys.Read(ctx, o.Keys, keys.Handler{
			Typed: func(input string) {
				for _, c := range parser.feed(input, p.Status()) {
					p.Submit(c)
				}
			},
			Suspend: func() (resume func()) { return suspend(p) },
			Hangup:  func() { p.Submit(replay.Stop{}) },
		})
	})
}

// suspend pauses bag time while the process is stopped.
func suspend(p *replay.Player) (resume func()) {
	if p.Status().State == replay.Paused {
		return func() {}
	}
	p.Submit(replay.Pause{})
	return func() { p.Submit(replay.Resume{}) }
}

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
	end := work.Run(context.Background(), func(ctx context.Context) {
		work.Every(ctx, linePeriod, func(time.Time) { l.draw(p.Status()) })
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
	if s.Stalls > 0 {
		line += fmt.Sprintf("   Stalls: %d (%.1f s)", s.Stalls, s.Stalled.Seconds())
	}
	if s.Dropped > 0 {
		line += fmt.Sprintf("   Dropped: %d", s.Dropped)
	}
	if s.Skipped > 0 {
		line += fmt.Sprintf("   Skipped: %d", s.Skipped)
	}
	return line
}
