package replay

import (
	"encoding/binary"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
)

func (p *Player) publish(ch *channel, m Recorded, shift bagstore.Time) error {
	out := p.raw(ch, m, p.time.at, shift)
	p.reports.countPublished(len(m.Data))
	return ch.sink.Publish(p.ctx, out)
}

// raw converts a message for a sink. The result is valid until the next call.
func (p *Player) raw(ch *channel, m Recorded, at, shift bagstore.Time) msgs.Raw {
	out := msgs.Raw{Body: m.Data, Time: int64(at + p.time.offset)}
	shift += p.o.StampShifts[m.Conn]
	if shift != 0 && ch.stamps != nil {
		var err error
		if out.Head, out.Body, err = ch.stamps.shift(p.scratch, m.Data, shift.Sub(0)); err != nil {
			p.problems.add("topic %s: stamps can't be moved: %v", ch.recorded, err)
		}
		p.scratch = out.Head
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

type stamper struct {
	spec *msgs.Spec
	// lone: the only stamp is in a Header that is the first field. Its offset is known, so the message needn't be decoded.
	lone bool
}

// newStamper returns nil if the type carries no stamps.
func newStamper(spec *msgs.Spec) *stamper {
	if spec == nil || !spec.Stamped() {
		return nil
	}
	first := &spec.Fields[0]
	s := &stamper{spec: spec, lone: first.Type == "std_msgs/Header" && !first.Array}
	for _, f := range spec.Fields[1:] {
		if f.Sub != nil && f.Sub.Stamped() {
			s.lone = false
		}
	}
	return s
}

const headStamp = 12

// shift returns the message with its stamps shifted: a head, which uses scratch's memory if it fits, and the unchanged
// rest, which is part of data. Stamps of 0 mean "none" and stay 0.
func (s *stamper) shift(scratch, data []byte, by time.Duration) (head, rest []byte, err error) {
	size := len(data)
	if s.lone && size >= headStamp {
		size = headStamp
	}
	head = append(scratch[:0], data[:size]...)
	return head, data[size:], s.shiftIn(head, by)
}

// shiftIn shifts the stamps of a message in place. If it starts with a lone header, head may be a part of it.
func (s *stamper) shiftIn(head []byte, by time.Duration) error {
	if !s.lone || len(head) < headStamp {
		_, err := s.spec.ShiftStamps(head, msgs.Duration(by))
		return err
	}
	if binary.LittleEndian.Uint64(head[4:]) == 0 {
		return nil
	}
	t := msgs.NewTime(binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:]))
	t = max(t+msgs.Time(by), 0)
	binary.LittleEndian.PutUint32(head[4:], t.Sec())
	binary.LittleEndian.PutUint32(head[8:], t.Nsec())
	return nil
}
