package dds

import (
	"slices"
	"time"

	"rsros/program/work"
	"rsros/ros2/internal/rtps"
	"rsros/ros2/internal/udp"
)

// Sizes of payloads in a datagram. To another machine, a datagram fits an Ethernet frame: the loss of one part of a
// larger one loses it whole, and the remains fill the memory for reassembly.
const (
	localFragment   = 64000
	remoteFragment  = 1300
	fragmentsAtOnce = 40 // of remote ones, by one system call
)

const (
	beatEvery    = 100 * time.Millisecond // while something isn't acknowledged
	beatsInTime  = 10                     // heartbeats without an answer, before they become rarer
	beatSlowest  = 2 * time.Second        // to a reader that doesn't answer
	usualLoss    = 5                      // fewer than one of so many fragments are lost on a bad link
	firstTimeout = 50 * time.Millisecond
	minTimeout   = 20 * time.Millisecond
	maxTimeout   = 300 * time.Millisecond
)

// outlet sends a writer's samples to one reader.
type outlet struct {
	peer
	w        *Writer
	local    bool
	fragment int
	pacer    *pacer
	ready    work.Signal

	// The fields below are guarded by w.mu.
	closed     bool
	start      int64   // number of the first sample that this reader gets
	kept       int64   // number of the last one that there was before the reader
	next       int64   // of the sample that is to be sent next, or is being sent
	leaving    int64   // 1 while the last datagram of a sample is being sent with best effort
	acked      int64   // all up to it have arrived
	answered   bool    // the reader has sent an ACKNACK: it knows the writer
	behind     bool    // a sample left the history before it was sent
	doubt      []int64 // numbers of what left the history after it was sent, and before it was acknowledged
	flights    map[int64]*flight
	gaps       [][2]int64 // first and end of ranges that the reader is to be told of
	nacks      uint32     // count of the last ACKNACK
	beats      uint32
	beaten     time.Time // when the last heartbeat was sent
	beatAt     time.Time // when the next heartbeat is due
	interval   time.Duration
	unanswered int  // heartbeats since the last ACKNACK
	beatWanted bool // although nothing is unacknowledged
	trip       roundTrip
	lossAt     time.Time

	// Used by run alone.
	head  []byte
	vec   [][]byte
	timer udp.Timer
}

func newOutlet(w *Writer, r *remote, e *Endpoint) *outlet {
	o := &outlet{
		peer: newPeer(&w.endpoint, r, e), w: w, fragment: remoteFragment, ready: work.NewSignal(),
		flights: map[int64]*flight{}, interval: beatEvery, beatAt: time.Now(), trip: roundTrip{timeout: firstTimeout},
	}
	if o.local = w.p.isOwn(o.to.Addr()); o.local {
		o.fragment = localFragment
	}
	o.next = w.history.last + 1
	if o.transient {
		o.next = w.history.first()
	}
	o.start, o.acked, o.kept = o.next, o.next-1, w.history.last
	o.answered = !o.reliable
	o.pacer = w.p.pacers.get(pacerKey(o.to, o.local))
	return o
}

func (o *outlet) aware() bool { return o.answered }

// end ends run. The caller holds w.mu.
func (o *outlet) end() {
	o.closed = true
	o.lose(len(o.doubt))
	o.doubt = nil
	o.ready.Set()
	o.w.trim()
}

// done returns the number up to which the reader needs nothing more. The caller holds w.mu, as for all others but run
// and send.
func (o *outlet) done() int64 {
	if o.reliable {
		return o.acked
	}
	return o.next - 1 - o.leaving
}

// evicted says that the oldest change is about to leave the history. If the reader surely doesn't have it, it is
// lost. The next heartbeat tells the reader so, never a GAP: Fast DDS (2.14, 3.2) loops for ever after a GAP for a
// sample of which it has some fragments.
func (o *outlet) evicted(c *change) {
	f := o.flights[c.number]
	delete(o.flights, c.number)
	if c.number < o.start || o.reliable && c.number <= o.acked {
		return
	}
	if c.number >= o.next || f != nil && f.wanted > 0 {
		o.lose(1)
		o.behind = c.number >= o.next && !c.keep
		o.next = max(o.next, c.number+1)
		o.beatSoon(time.Now())
	} else if o.reliable && f != nil { // otherwise it was left out, and is counted
		o.doubt = append(o.doubt, c.number)
	}
	if len(o.doubt) > maxDoubt {
		o.lose(len(o.doubt))
		o.doubt = nil
	}
}

// settle counts what is in doubt as lost if the reader asks for it, and as arrived if the reader acknowledges it.
func (o *outlet) settle(upTo int64, wanted *rtps.Set) {
	o.doubt = slices.DeleteFunc(o.doubt, func(n int64) bool {
		if lost := wanted.Has(int(n - wanted.Base)); lost {
			o.lose(1)
			return true
		}
		return n <= upTo
	})
}

// lose counts samples that the reader lost.
func (o *outlet) lose(n int) {
	if n == 0 {
		return
	}
	if _, known := o.w.lost[o.guid]; known || len(o.w.lost) < maxFormer {
		o.w.lost[o.guid] += uint64(n)
	}
}

// beatSoon makes a heartbeat due, also if everything is acknowledged.
func (o *outlet) beatSoon(now time.Time) {
	o.beatWanted = true
	if o.beatAt.After(now) {
		o.beatAt = now
	}
}

// gap adds a range to those that the reader is told of.
func (o *outlet) gap(first, end int64) {
	if n := len(o.gaps); n > 0 && first >= o.gaps[n-1][0] && first <= o.gaps[n-1][1] {
		o.gaps[n-1][1] = max(o.gaps[n-1][1], end)
		return
	}
	if len(o.gaps) < maxGaps {
		o.gaps = append(o.gaps, [2]int64{first, end})
	}
}

// acknowledged takes in an ACKNACK.
func (o *outlet) acknowledged(m *rtps.Submessage, now time.Time) {
	if o.answered && m.Count != 0 && int32(m.Count-o.nacks) <= 0 {
		return
	}
	first := !o.answered
	o.nacks, o.answered, o.interval, o.unanswered = m.Count, true, beatEvery, 0
	if upTo := min(m.Set.Base-1, o.w.history.last); upTo > o.acked {
		for n, f := range o.flights {
			if n > upTo {
				continue
			}
			if !o.tooMany(f) {
				o.pacer.arrived()
			}
			delete(o.flights, n)
		}
		o.trip.measured(now.Sub(o.beaten)) // since the heartbeat that the reader most likely answers
		o.acked = upTo
		o.next = max(o.next, upTo+1)
	}
	o.settle(m.Set.Base-1, &m.Set)
	for n := range m.Set.All() {
		switch {
		case n < o.w.history.first() || n < o.start:
			o.beatSoon(now)
		case n < o.next && o.flights[n] == nil: // it was left out
			o.gap(n, n+1)
		case n < o.next:
			f := o.flights[n]
			f.tail = true
			if f.want(0, f.n, f.units(now.Add(-o.trip.timeout))) > 0 {
				o.congested(f, now)
			}
		}
	}
	if first || !m.Final && m.Set.N == 0 && m.Set.Base <= o.start {
		o.beatSoon(now)
	}
	if soon := now.Add(max(beatEvery, o.trip.timeout)); o.beatAt.After(soon) {
		o.beatAt = soon
	}
}

// missing takes in a NACK_FRAG.
func (o *outlet) missing(m *rtps.Submessage, now time.Time) {
	f := o.flights[m.Number]
	if f == nil {
		if m.Number < o.w.history.first() {
			o.settle(0, &rtps.Set{Base: m.Number, N: 1, Bits: [8]uint32{1 << 31}})
			o.beatSoon(now)
		}
		return
	}
	f.tail = m.Set.Base+rtps.MaxSet > int64(f.n)
	wanted, limit := 0, max(f.units(now.Add(-o.trip.timeout)), f.overtaken(&m.Set))
	for n := range m.Set.All() {
		if n >= 1 && n <= int64(f.n) {
			wanted += f.want(int(n-1), 1, limit)
		}
	}
	if wanted > 0 {
		o.congested(f, now)
	}
}

// tooMany reports whether so many fragments were lost that the pace is the likely cause: on this machine, any;
// otherwise more than a bad link loses.
func (o *outlet) tooMany(f *flight) bool {
	lost := f.again + f.wanted
	return lost > 0 && (o.local || lost*usualLoss > f.n)
}

// congested slows down if too many fragments were lost, once for each bunch of losses.
func (o *outlet) congested(f *flight, now time.Time) {
	if o.tooMany(f) && now.Sub(o.lossAt) > lossApart {
		o.lossAt = now
		o.pacer.lost()
	}
}

// What an outlet does next.
type job struct {
	gap      *[2]int64
	c        *change // retained; nil: none of it
	fragment int     // index of the first one; -1: the whole sample
	count    int     // of fragments
	rest     bool    // the reader has all of it then, if nothing is lost
	beat     bool
	first    int64 // for a heartbeat, as last
	last     int64
	beats    uint32        // count of the heartbeat
	final    bool          // it needs no answer
	wait     time.Duration // if there is nothing else; <0: until something happens
}

// pick decides what to send. The caller holds w.mu.
func (o *outlet) pick(now time.Time) (j job) {
	j.wait = -1
	if len(o.gaps) > 0 && o.answered {
		j.gap = &[2]int64{o.gaps[0][0], o.gaps[0][1]}
		o.gaps = o.gaps[1:]
		return j
	}
	if o.answered {
		if o.repair(&j, now) || o.fresh(&j, now) {
			return j
		}
	}
	if !o.reliable || o.answered && o.acked >= o.next-1 && !o.beatWanted {
		return j
	}
	if j.wait = max(o.beatAt.Sub(now), 0); j.wait == 0 {
		o.beatNow(&j, now)
	}
	return j
}

// beatNow makes the job a heartbeat, or adds one to it.
func (o *outlet) beatNow(j *job, now time.Time) {
	o.beats++
	o.beaten = now
	first := o.w.history.first()
	if len(o.doubt) > 0 {
		first = min(first, o.doubt[0]) // the reader's answer tells
	}
	j.beat, j.first, j.last, j.beats = true, max(first, o.start), max(o.next-1, o.kept), o.beats
	if j.c != nil {
		j.last = max(j.last, j.c.number)
	}
	j.first = min(j.first, j.last+1)
	j.final = o.answered && o.acked >= j.last
	o.beatWanted = false
	o.beatAt = now.Add(max(o.interval, o.trip.timeout))
	if o.unanswered++; o.unanswered > beatsInTime {
		o.interval = min(o.interval*3/2, beatSlowest)
	}
}

// repair picks what the reader asked for again: the oldest first.
func (o *outlet) repair(j *job, now time.Time) bool {
	var f *flight
	for _, g := range o.flights {
		if g.wanted > 0 && (f == nil || g.number < f.number) {
			f = g
		}
	}
	if f == nil {
		return false
	}
	c := o.w.history.get(f.number)
	if c == nil {
		delete(o.flights, f.number)
		return false
	}
	o.take(j, c, f, f.firstWanted(), now)
	return true
}

// fresh picks the next fragments, or the next sample.
func (o *outlet) fresh(j *job, now time.Time) bool {
	h := &o.w.history
	i := h.at(o.next)
	if i == len(h.list) {
		o.next = h.last + 1
		return false
	}
	if o.behind { // the newest one has the most time to arrive before it leaves the history
		o.lose(len(h.list) - 1 - i)
		i, o.behind = len(h.list)-1, false
	}
	c := h.list[i]
	if c.number > o.next {
		if o.reliable {
			o.gap(o.next, c.number)
		}
		o.next = c.number
	}
	f := o.flights[c.number]
	if f == nil {
		f = newFlight(c, o.fragment, now)
		o.flights[c.number] = f
	}
	o.take(j, c, f, f.sent, now)
	if f.sent == f.n {
		o.next++
		if !o.reliable {
			delete(o.flights, c.number)
			o.leaving = 1
		}
	}
	return true
}

// take makes the job fragments of a sample, from an index on, and accounts for them.
func (o *outlet) take(j *job, c *change, f *flight, from int, now time.Time) {
	c.refs.Retain()
	j.c, j.fragment, j.count = c, from, 1
	if f.n == 1 && c.size() <= o.fragment {
		j.fragment = -1
	} else if !o.local {
		j.count = f.run(from, fragmentsAtOnce)
	}
	o.w.sent.fragments += uint64(j.count)
	o.w.sent.again += uint64(f.mark(from, j.count, now))
	whole := f.sent == f.n && f.wanted == 0
	j.rest = whole && f.tail
	if o.reliable && (whole || from/rtps.MaxSet != (from+j.count)/rtps.MaxSet) {
		o.beatNow(j, now) // also on the way: one answer can ask for MaxSet fragments
	}
}

// sent says that what was picked is sent.
func (o *outlet) sent() {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	if o.leaving > 0 {
		o.leaving = 0
		o.w.trim()
	}
}

// run sends until the outlet is closed.
func (o *outlet) run() {
	defer o.w.p.pacers.put(pacerKey(o.to, o.local))
	defer o.timer.Close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		o.w.mu.Lock()
		if o.closed {
			o.w.mu.Unlock()
			return
		}
		j := o.pick(time.Now())
		o.w.mu.Unlock()
		if j.c == nil && j.gap == nil && !j.beat {
			if j.wait < 0 {
				j.wait = time.Hour
			}
			timer.Reset(j.wait)
			select {
			case <-o.ready:
			case <-timer.C:
			}
			continue
		}
		o.send(&j)
		if j.c != nil {
			if j.rest {
				o.pacer.rest(j.c.size())
			}
			j.c.release()
			o.sent()
		}
	}
}
