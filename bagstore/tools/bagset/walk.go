package bagset

import (
	"context"

	"github.com/rs/zerolog"

	"rsros/bagstore"
)

// maxDamageLines bounds what is logged of a bag that is damaged all over.
const maxDamageLines = 20

// Each calls f with the messages of a view in time order. Messages that can't
// be read are logged, counted and passed over. An error of f ends the walk and
// is returned, as is the end of the pace's context.
func Each(p *Pace, v *bagstore.View, log zerolog.Logger, f func(bagstore.Message) error) (bad int, err error) {
	it := v.Iterator()
	defer it.Close()
	for {
		switch {
		case it.Next():
			if err := f(it.Message()); err != nil {
				return bad, err
			}
		case it.Err() == nil:
			return bad, nil
		default:
			if bad++; bad <= maxDamageLines {
				log.Warn().Err(it.Err()).Msg("a message was skipped")
			}
		}
		if err := p.Step(); err != nil {
			return bad, err
		}
	}
}

// Pace reports progress now and then, and notices the end of its context.
type Pace struct {
	Ctx         context.Context
	Progress    bagstore.Progress // may be nil
	Done, Total uint64            // messages
}

// Step counts a message. It returns the context's error.
func (p *Pace) Step() error {
	p.Done++
	if p.Done%64 == 0 && p.Progress != nil {
		p.Progress(p.Done, p.Total)
	}
	return p.Ctx.Err()
}
