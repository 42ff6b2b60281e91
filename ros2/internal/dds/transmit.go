package dds

import (
	"slices"
	"time"

	"rsros/ros2/internal/rtps"
)

// topSize is enough for what a datagram has beside its payload, its inline QoS and padding.
const topSize = 160

// send sends what was picked. Several fragments are sent by one system call, and the heartbeat after them.
func (o *outlet) send(j *job) {
	inline := 0
	if j.c != nil {
		inline = len(j.c.inline)
	}
	b := slices.Grow(o.head[:0], (j.count+1)*(topSize+inline)) // it doesn't move
	o.head, o.vec = b, o.vec[:0]
	for i := range j.count {
		b = o.appendFragment(b, j, i)
	}
	if j.count > 1 {
		o.transmit(len(o.vec[0]) + o.fragment)
		if o.vec = o.vec[:0]; !j.beat {
			return
		}
	}
	at, reader, writer := len(b), o.guid.Entity(), o.w.endpoint.GUID.Entity()
	if len(o.vec) == 0 {
		b = rtps.AppendHeader(b, o.w.p.prefix, o.guid.Prefix())
	}
	if j.gap != nil {
		b = rtps.AppendGap(b, reader, writer, j.gap[0], j.gap[1])
	}
	if j.beat {
		b = rtps.AppendHeartbeat(b, reader, writer, j.first, j.last, j.beats, j.final)
	}
	o.vec = append(o.vec, b[at:])
	o.transmit(0)
}

var padding [4]byte

// appendFragment appends the start of a datagram to b, and puts it and one fragment, or the whole sample, into vec.
func (o *outlet) appendFragment(b []byte, j *job, i int) []byte {
	at, from, n := len(b), 0, j.c.size()
	sample := rtps.Sample{
		Reader: o.guid.Entity(), Writer: o.w.endpoint.GUID.Entity(), Number: j.c.number, Inline: j.c.inline,
	}
	b = rtps.AppendTime(rtps.AppendHeader(b, o.w.p.prefix, o.guid.Prefix()), j.c.time)
	if j.fragment < 0 {
		b = rtps.AppendData(b, &sample, n)
	} else {
		from = (j.fragment + i) * o.fragment
		n = min(o.fragment, n-from)
		b = rtps.AppendDataFrag(b, &sample, uint32(j.fragment+i+1), n, o.fragment, j.c.size())
	}
	o.vec = append(o.vec, b[at:])
	o.vec = j.c.parts(o.vec, from, n)
	if pad := rtps.Padding(n); pad > 0 {
		o.vec = append(o.vec, padding[:pad])
	}
	return b
}

// transmit sends vec at the receiver's pace, as datagrams of a size, or if it is 0, as one.
func (o *outlet) transmit(segment int) {
	size := 0
	for _, part := range o.vec {
		size += len(part)
	}
	switch d := o.pacer.take(time.Now(), size); {
	case d <= 0:
	case o.local: // rounded up to a millisecond, which burst makes up for
		time.Sleep(d)
	default:
		o.timer.Sleep(d)
	}
	if err := o.w.p.socket(&o.w.endpoint).Send(o.to, segment, o.vec...); err != nil {
		o.w.p.log.Debug().Err(err).Stringer("to", o.to).Msg("can't send")
	}
}
