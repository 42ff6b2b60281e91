package play

import (
	"context"
	"os"
	"strings"
	"time"

	"rsros/node/internal/loop"
	"rsros/node/replay"
)

// keysHelp is shown when a replay starts at a terminal.
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

// keyPoll is how often readKeys checks whether to continue.
const keyPoll = 100 * time.Millisecond

// startKeys lets keys, from a terminal or not, control the player until stop.
func startKeys(ctx context.Context, o *Options, p *replay.Player) (stop func()) {
	if o.Keys == nil {
		return func() {}
	}
	return loop.Run(ctx, func(ctx context.Context) { readKeys(ctx, o.Keys, p) })
}

func readKeys(ctx context.Context, keys *os.File, p *replay.Player) {
	terminal := newTerminal(keys, p)
	defer terminal.close()
	var parser keyParser
	buf := make([]byte, 64)
	for ctx.Err() == nil {
		terminal.handleSignals(ctx)
		if !terminal.claim() {
			select {
			case <-ctx.Done():
			case <-time.After(keyPoll): // poll until in the foreground
			}
			continue
		}
		n, err := terminal.read(buf)
		if err != nil {
			return // end of the input
		}
		for _, c := range parser.feed(string(buf[:n]), p.Status()) {
			p.Submit(c)
		}
	}
}
