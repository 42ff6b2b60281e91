package keys

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestCommands checks which presses pause, split or end a recording: the second of a key that is asked for, not the letters of words.
func TestCommands(t *testing.T) {
	type press struct {
		key   string
		after time.Duration
	}
	const typing, reading = 150 * time.Millisecond, time.Second
	for name, c := range map[string]struct {
		presses  []press
		done     string
		question string
	}{
		"harmless":               {[]press{{"m", 0}, {"m", 0}, {" ", 0}}, "mm ", ""}, // it is paused: space resumes
		"once":                   {[]press{{"s", 0}}, "", "press s again to start a new file"},
		"again":                  {[]press{{"s", 0}, {"s", reading}}, "s", ""},
		"thrice":                 {[]press{{"s", 0}, {"s", reading}, {"s", reading}}, "s", "press s again to start a new file"},
		"too late":               {[]press{{"s", 0}, {"s", forgetsIn}}, "", "press s again to start a new file"},
		"late after a word":      {[]press{{"q", 0}, {"x", reading}}, "", ""},
		"another key in between": {[]press{{"q", 0}, {"x", reading}, {"q", reading}}, "", "press q again to end it"},
		"another command":        {[]press{{"q", 0}, {"s", reading}}, "", "press s again to start a new file"},
		"harmless in between":    {[]press{{"q", 0}, {"m", reading}, {"q", reading}}, "m", "press q again to end it"},
		"a double letter":        {[]press{{"s", 0}, {"s", typing}, {"h", typing}}, "", ""},
		"too fast, then again":   {[]press{{"s", 0}, {"s", typing}, {"s", reading}}, "s", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				done := ""
				do := func(key string) func() { return func() { done += key } }
				commands := NewCommands(map[string]Command{
					"m": {Do: do("m")}, "q": {Do: do("q"), Cuts: "end it"}, "s": {Do: do("s"), Cuts: "start a new file"},
					" ": {Do: do(" "), Cuts: "pause", If: func() bool { return false }},
				})
				for _, p := range c.presses {
					time.Sleep(p.after)
					commands.Press(p.key)
				}
				if got := commands.Question(); done != c.done || got != c.question {
					t.Errorf("done %q, want %q; asked %q, want %q", done, c.done, got, c.question)
				}
				time.Sleep(forgetsIn)
				if got := commands.Question(); got != "" {
					t.Errorf("later, asked %q", got)
				}
			})
		})
	}
}
