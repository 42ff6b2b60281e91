package bagset

import (
	"iter"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// maxDamageLines bounds how many damaged messages are logged.
const maxDamageLines = 20

// Walk visits messages. It logs, counts and skips unreadable ones. It is for one goroutine.
type Walk struct {
	bagstore.Pace
	Log     zerolog.Logger
	Damaged int // messages
}

// Messages is [bagstore.View.Messages] for readable ones. The only error is the context's.
func (w *Walk) Messages(v *bagstore.View) iter.Seq2[bagstore.Message, error] {
	return func(yield func(bagstore.Message, error) bool) {
		for m, err := range v.Messages() {
			if err != nil {
				if w.Damaged++; w.Damaged <= maxDamageLines {
					w.Log.Warn().Err(err).Msg("a message was skipped")
				}
			} else if !yield(m, nil) {
				return
			}
			if err := w.Step(); err != nil {
				yield(bagstore.Message{}, err)
				return
			}
		}
	}
}
