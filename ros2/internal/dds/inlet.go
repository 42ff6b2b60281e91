package dds

import (
	"sync/atomic"
	"time"

	"rsros/program/buffers"
	"rsros/program/recvbuf"
	"rsros/ros2/internal/rtps"
)

// inlet receives from one writer. All fields are guarded by the reader's mu.
type inlet struct {
	peer
	r     *Reader
	held  *held
	ended bool

	next    int64 // number of the first sample that is neither delivered nor lost; 0: not known yet
	last    int64 // of the newest sample that a heartbeat named
	before  int64 // last of the first heartbeat: what the writer kept for late readers, or had for others
	samples map[int64]*partial
	inOrder []*Sample // to be delivered at once
	counts  Counts
	torn    int         // samples of which some fragments came, and others never
	beats   uint32      // count of the last heartbeat
	heard   bool        // there was one
	answers uint32      // count of our ACKNACKs and NACK_FRAGs
	tries   int         // ACKNACKs before the first heartbeat
	timer   *time.Timer // of the answer that is scheduled
}

// partial is a sample of which fragments are missing, or which waits for an earlier one.
type partial struct {
	number   int64
	time     int64
	inline   rtps.Parameters
	buffer   *recvbuf.Buffer
	size     int64 // taken from the budgets
	fragment int   // size of a fragment; 0 if there is one only
	n, got   int
	highest  int // fragment that came, from 1
	have     []uint64
	at       time.Time // when the last one came
}

func (s *partial) whole() bool { return s.got == s.n }

// held counts what is held of a participant's samples.
type held struct{ bytes atomic.Int64 }

func (h *held) take(n int64) bool {
	if h.bytes.Add(n) > maxHeldByParticipant || buffers.PeerInput.Take(n) != nil {
		h.bytes.Add(-n)
		return false
	}
	return true
}

func (h *held) give(n int64) {
	h.bytes.Add(-n)
	buffers.PeerInput.Give(n)
}

func newInlet(r *Reader, other *remote, e *Endpoint) *inlet {
	return &inlet{peer: newPeer(&r.endpoint, other, e), r: r, held: &other.held, samples: map[int64]*partial{}}
}

func (in *inlet) aware() bool { return in.heard }

// end frees what is held, and keeps the counts.
func (in *inlet) end() {
	in.ended = true
	in.unschedule()
	if len(in.r.former) < maxFormer {
		in.r.former[in.guid] = in.counts
	}
	for n := range in.samples {
		in.discard(n)
	}
	for _, s := range in.inOrder {
		s.Buffer.Release()
	}
	in.inOrder = nil
}

// discard frees a sample that isn't delivered.
func (in *inlet) discard(number int64) {
	s := in.samples[number]
	delete(in.samples, number)
	in.held.give(s.size)
	s.buffer.Release()
}

func (in *inlet) receive(m *rtps.Submessage) {
	switch m.Kind {
	case rtps.Data:
		in.data(m)
	case rtps.DataFrag:
		in.dataFrag(m)
	case rtps.Heartbeat:
		in.heartbeat(m)
	case rtps.Gap:
		in.gap(m)
	}
}

// wants reports whether a sample with a number is still of use.
func (in *inlet) wants(number int64) bool {
	if in.next == 0 && !(in.reliable && in.transient) { // what the writer keeps starts at its first heartbeat
		in.next = number
	}
	return number >= in.next && number < in.next+maxWaiting || in.next == 0
}

func (in *inlet) data(m *rtps.Submessage) {
	if !in.wants(m.Number) || in.samples[m.Number] != nil && in.samples[m.Number].whole() {
		return
	}
	if in.samples[m.Number] != nil {
		in.discard(m.Number)
	}
	if s := in.hold(m, int64(len(m.Payload)), 1); s != nil {
		copy(s.buffer.Data, m.Payload)
		s.got = 1
		in.advance()
	}
}

// hold makes room for a sample, or returns nil if there is none.
func (in *inlet) hold(m *rtps.Submessage, size int64, fragments int) *partial {
	taken := size + int64(len(in.samples))
	if size > in.r.max || len(in.samples) >= maxWaiting || !in.held.take(taken) {
		return nil
	}
	s := &partial{
		number: m.Number, time: m.Time, inline: m.Inline.Clone(), size: taken, n: fragments, buffer: in.r.pool.Get(int(size)),
	}
	if cap(s.buffer.Data) < int(size) {
		s.buffer.Data = s.buffer.Memory(int(size))
	}
	s.buffer.Data = s.buffer.Data[:size]
	in.samples[m.Number] = s
	return s
}

func (in *inlet) dataFrag(m *rtps.Submessage) {
	n := (m.SampleSize + int64(m.FragmentSize) - 1) / int64(m.FragmentSize)
	if !in.wants(m.Number) || n > maxFragments {
		return
	}
	s := in.samples[m.Number]
	if s == nil {
		in.makeRoomForPartial()
		if s = in.hold(m, m.SampleSize, int(n)); s == nil {
			return
		}
		s.fragment, s.have = m.FragmentSize, make([]uint64, (n+63)/64)
	}
	if s.whole() || s.fragment != m.FragmentSize || int64(len(s.buffer.Data)) != m.SampleSize {
		return
	}
	for i := range m.Fragments {
		f := int(m.Fragment) - 1 + i
		part := m.Payload[i*m.FragmentSize : min((i+1)*m.FragmentSize, len(m.Payload))]
		if bit := uint64(1) << (f % 64); s.have[f/64]&bit == 0 {
			s.have[f/64] |= bit
			s.got++
			copy(s.buffer.Data[f*m.FragmentSize:], part)
		}
		s.highest = max(s.highest, f+1)
	}
	s.at = time.Now()
	if s.whole() {
		in.advance()
	}
}

// makeRoomForPartial discards the oldest sample with missing fragments if there are too many.
func (in *inlet) makeRoomForPartial() {
	count, oldest := 0, int64(0)
	for n, s := range in.samples {
		if !s.whole() {
			if count++; oldest == 0 || n < oldest {
				oldest = n
			}
		}
	}
	if count >= maxPartial {
		in.discard(oldest)
	}
}

// heartbeat learns what the writer has, and schedules the answer.
func (in *inlet) heartbeat(m *rtps.Submessage) {
	if !in.reliable || in.heard && int32(m.Count-in.beats) <= 0 {
		return
	}
	in.beats, in.heard = m.Count, true
	if in.next == 0 {
		in.next, in.before = m.Number, m.Last
	}
	in.last = max(in.last, m.Last)
	in.skip(m.Number, in.transient)
	in.advance()
	if !m.Final || in.next <= in.last {
		in.schedule()
	}
}

// skip counts samples below a number as lost, unless they are here. late says that the writer keeps none of those from
// before for this reader, which aren't lost.
func (in *inlet) skip(to int64, late bool) {
	for in.next > 0 && in.next < to {
		s, end := in.samples[in.next], in.next+1
		if s != nil && s.whole() {
			in.deliver(s)
			continue
		}
		if s != nil {
			in.discard(in.next)
			in.torn++
		} else if len(in.samples) == 0 {
			end = to
		}
		first := in.next
		if late {
			first = max(first, in.before+1)
		}
		in.counts.Lost += uint64(max(end-first, 0))
		in.next = end
	}
}

// gap learns that samples won't come.
func (in *inlet) gap(m *rtps.Submessage) {
	if !in.reliable || in.next == 0 {
		return
	}
	if m.Number <= in.next {
		in.skip(m.Set.Base, true)
	}
	for n := range m.Set.All() {
		if n == in.next {
			in.skip(n+1, true)
		}
	}
	in.advance()
}

// advance delivers what is complete and in order. With best effort, a complete sample ends the wait for earlier ones.
func (in *inlet) advance() {
	if in.next == 0 {
		return
	}
	if !in.reliable {
		newest := int64(0)
		for n, s := range in.samples {
			if s.whole() {
				newest = max(newest, n)
			}
		}
		in.skip(newest, false)
	}
	for s := in.samples[in.next]; s != nil && s.whole(); s = in.samples[in.next] {
		in.deliver(s)
	}
}

// deliver queues the sample for the callback.
func (in *inlet) deliver(s *partial) {
	delete(in.samples, s.number)
	in.held.give(s.size)
	in.next = s.number + 1
	in.counts.Received++
	in.inOrder = append(in.inOrder, &Sample{
		Writer: in.guid, Number: s.number, Time: s.time, Payload: s.buffer.Data, Inline: s.inline, Buffer: s.buffer,
	})
}
