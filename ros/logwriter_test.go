package ros

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// A line on /rosout and in a recording's /log has the text of the console.
func TestLineText(t *testing.T) {
	for want, write := range map[string]func(*zerolog.Event){
		"recorded bags=[\"a b.bag\"] dropped=0 frames=12000000": func(e *zerolog.Event) {
			e.Uint64("frames", 12_000_000).Strs("bags", []string{"a b.bag"}).Uint64("dropped", 0).Msg("recorded")
		},
		"stopped error=\"disk full\" loops=true": func(e *zerolog.Event) { e.Err(errors.New("disk full")).Bool("loops", true).Msg("stopped") },
		"speed rate=0.5 took=1500 word=x\u00e9": func(e *zerolog.Event) {
			e.Float64("rate", 0.5).Dur("took", 1500*time.Millisecond).Str("word", "x\u00e9").Msg("speed")
		},
		"a=\"\" b=\"k=v\"": func(e *zerolog.Event) { e.Str("b", "k=v").Str("a", "").Send() },
		"no fields":        func(e *zerolog.Event) { e.Msg("no fields") },
	} {
		var out bytes.Buffer
		log := zerolog.New(&out).With().Timestamp().Logger()
		write(log.Warn())
		fields, ok := lineFields(out.String())
		if got := lineText(fields); !ok || got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, ok := lineFields("plain text"); ok {
		t.Error("plain text has fields")
	}
}
