package replay

import (
	"time"

	"rsros/bagstore"
	"rsros/msgs"
)

// publish passes a message to the channel's sink, with its header stamps shifted.
func (p *Player) publish(ch *channel, m Recorded, shift bagstore.Time) error {
	out := p.raw(ch, m, p.time.at, shift)
	p.reports.made(len(m.Head) + len(m.Data))
	if p.o.Immediate {
		return ch.sink.PublishWait(p.ctx, out)
	}
	ch.sink.Publish(out)
	return nil
}

// raw converts a message for a sink. The result may use p.scratch, so it is valid until
// the next call.
func (p *Player) raw(ch *channel, m Recorded, at, shift bagstore.Time) msgs.Raw {
	out := msgs.Raw{Head: m.Head, Body: m.Data, Time: int64(at + p.time.offset)}
	if shift != 0 && ch.stamps != nil {
		if err := p.shiftStamps(ch, &out, shift.Sub(0)); err != nil {
			p.problems.add("topic %s: stamps can't be moved: %v", ch.recorded, err)
		}
	}
	switch {
	case len(out.Body) == 0:
		out.Body = nil
	case len(out.Head)+len(out.Body) <= smallMessage:
		p.scratch = append(append(p.scratch[:0], out.Head...), out.Body...)
		out.Head, out.Body = p.scratch, nil
	default:
		out.Owner = m.Retain()
	}
	if ch.tfStatic {
		out.Key = transformsKey(m.Data)
	}
	return out
}

// shiftStamps shifts the header stamps of a message. A computed message has its header
// in Head.
func (p *Player) shiftStamps(ch *channel, m *msgs.Raw, by time.Duration) (err error) {
	if len(m.Head) > 0 {
		p.scratch = append(p.scratch[:0], m.Head...)
		m.Head = p.scratch
		return ch.stamps.shiftHead(m.Head, by)
	}
	m.Head, m.Body, err = ch.stamps.shift(p.scratch, m.Body, by)
	p.scratch = m.Head
	return err
}
