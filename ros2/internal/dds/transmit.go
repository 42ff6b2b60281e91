package dds

import (
	"time"

	"rsros/ros2/internal/rtps"
	"rsros/ros2/internal/udp"
)

// send sends what was picked.
func (o *outlet) send(j *job) {
	s := o.w.p.socket(&o.w.endpoint)
	writer, reader := o.w.endpoint.GUID.Entity(), o.guid.Entity()
	b := rtps.AppendHeader(o.head[:0], o.w.p.prefix, o.guid.Prefix())
	defer func() { o.head = b[:0] }()
	if j.gap != nil {
		b = rtps.AppendGap(b, reader, writer, j.gap[0], j.gap[1])
	}
	o.vec = o.vec[:0]
	if j.c != nil {
		b = rtps.AppendTime(b, j.c.time)
		sample := rtps.Sample{Reader: reader, Writer: writer, Number: j.c.number, Inline: j.c.inline}
		if j.count > 1 {
			o.sendMany(s, b, &sample, j)
		} else {
			b = o.appendSample(b, &sample, j)
		}
	}
	if j.beat {
		at := len(b)
		b = rtps.AppendHeartbeat(b, reader, writer, j.first, j.last, j.beats, j.final)
		if len(o.vec) > 0 && j.count <= 1 {
			o.vec[0] = b[:at:at] // b may have moved
			o.vec = append(o.vec, b[at:])
		}
	}
	if j.c != nil && j.count > 1 {
		if !j.beat {
			return
		}
		b = rtps.AppendHeader(b[:0], o.w.p.prefix, o.guid.Prefix())
		b = rtps.AppendHeartbeat(b, reader, writer, j.first, j.last, j.beats, j.final)
		o.vec = o.vec[:0]
	}
	if len(o.vec) == 0 {
		o.vec = append(o.vec, b)
	}
	o.transmit(s, o.vec)
}

var padding [4]byte

// appendSample appends a DATA or a DATA_FRAG to a datagram's start, and puts that and the payload into vec.
func (o *outlet) appendSample(b []byte, sample *rtps.Sample, j *job) []byte {
	from, n := 0, j.c.size()
	if j.fragment < 0 {
		b = rtps.AppendData(b, sample, n)
	} else {
		from = j.fragment * o.fragment
		n = min(o.fragment, n-from)
		b = rtps.AppendDataFrag(b, sample, uint32(j.fragment+1), n, o.fragment, j.c.size())
	}
	o.vec = append(o.vec, b)
	o.vec = j.c.parts(o.vec, from, n)
	if pad := rtps.Padding(n); pad > 0 {
		o.vec = append(o.vec, padding[:pad])
	}
	return b
}

// sendMany sends several fragments, each with the datagram's start, by one system call.
func (o *outlet) sendMany(s *udp.Socket, top []byte, sample *rtps.Sample, j *job) {
	o.vec = o.vec[:0]
	size, heads := 0, make([]byte, 0, j.count*(len(top)+64+len(sample.Inline)))
	for i := range j.count {
		at := len(heads)
		from := (j.fragment + i) * o.fragment
		n := min(o.fragment, j.c.size()-from)
		heads = append(heads, top...)
		heads = rtps.AppendDataFrag(heads, sample, uint32(j.fragment+i+1), n, o.fragment, j.c.size())
		o.vec = append(o.vec, heads[at:len(heads):len(heads)])
		o.vec = j.c.parts(o.vec, from, n)
		if pad := rtps.Padding(n); pad > 0 {
			o.vec = append(o.vec, padding[:pad])
		}
		if i == 0 {
			size = len(heads) + o.fragment
		}
	}
	o.pause(j.count * size)
	if err := s.SendSegments(o.to, size, o.vec); err != nil {
		o.w.p.log.Debug().Err(err).Stringer("to", o.to).Msg("can't send")
	}
}

// transmit sends a datagram at the receiver's pace.
func (o *outlet) transmit(s *udp.Socket, parts [][]byte) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	o.pause(size)
	if err := s.Send(o.to, parts...); err != nil {
		o.w.p.log.Debug().Err(err).Stringer("to", o.to).Msg("can't send")
	}
}

// pause waits for the receiver's pace. Waits below a millisecond, which the kernel would make one, are saved up.
func (o *outlet) pause(size int) {
	if d := o.pacer.take(time.Now(), size); d > 0 {
		time.Sleep(d)
	}
}
