package dds

import (
	"context"
	"sync"
	"time"

	"rsros/program/work"
	"rsros/ros2/internal/rtps"
)

const (
	answerAfter  = 5 * time.Millisecond // a heartbeat; what it names may be on its way
	firstTries   = 25                   // ACKNACKs to a writer that sends no heartbeat
	firstTryWait = 50 * time.Millisecond
	mostTryWait  = 400 * time.Millisecond
)

// acks answers heartbeats. Its goroutine serves all inlets.
type acks struct {
	wake work.Signal

	mu      sync.Mutex
	pending []due
}

type due struct {
	in *inlet
	at time.Time
}

// schedule answers the inlet's writer soon. The caller holds the reader's mu.
func (a *acks) schedule(in *inlet) {
	if in.pending {
		return
	}
	in.pending = true
	wait := answerAfter
	if !in.heard && in.tries > 0 {
		wait = min(firstTryWait<<in.tries, mostTryWait)
	}
	a.mu.Lock()
	a.pending = append(a.pending, due{in, time.Now().Add(wait)})
	a.mu.Unlock()
	a.wake.Set()
}

// run answers until ctx ends.
func (a *acks) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var ready []*inlet
	for {
		a.mu.Lock()
		now, wait := time.Now(), time.Hour
		later := a.pending[:0]
		for _, d := range a.pending {
			if until := d.at.Sub(now); until <= 0 {
				ready = append(ready, d.in)
			} else {
				wait = min(wait, until)
				later = append(later, d)
			}
		}
		clear(a.pending[len(later):])
		a.pending = later
		a.mu.Unlock()
		for i, in := range ready {
			in.answer()
			ready[i] = nil
		}
		ready = ready[:0]
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
		case <-timer.C:
		}
	}
}

// answer sends an ACKNACK, and NACK_FRAGs of samples that have come in part.
func (in *inlet) answer() {
	in.r.mu.Lock()
	if in.pending = false; in.ended {
		in.r.mu.Unlock()
		return
	}
	b := in.acknowledge()
	if !in.heard {
		if in.tries++; in.tries < firstTries {
			in.r.p.acks.schedule(in)
		}
	}
	in.r.mu.Unlock()
	in.r.p.socket(&in.r.endpoint).Send(in.to, 0, b) //nolint:errcheck // it is sent again after the next heartbeat
}

// acknowledge returns the datagram. The caller holds the reader's mu.
func (in *inlet) acknowledge() []byte {
	reader, writer := in.r.endpoint.GUID.Entity(), in.guid.Entity()
	missing := rtps.Set{Base: max(in.next, 1)}
	b := rtps.AppendHeader(nil, in.r.p.prefix, in.guid.Prefix())
	now, frags := time.Now(), 0
	for n := missing.Base; n <= min(in.last, missing.Base+rtps.MaxSet-1); n++ {
		s := in.samples[n]
		switch {
		case s == nil:
			missing.Add(n)
		case !s.whole():
			for set := range s.missing(now) {
				if frags < maxMissingAnswers {
					frags++
					in.answers++
					b = rtps.AppendNackFrag(b, reader, writer, n, set, in.answers)
				}
			}
		}
	}
	if in.answers++; !in.heard {
		missing = rtps.Set{} // asks for a heartbeat, in the way that Fast DDS answers at once
	}
	return rtps.AppendAckNack(b, reader, writer, &missing, in.answers, in.heard)
}

// missing returns sets of missing fragments. While fragments arrive, those after the highest are on their way.
func (s *partial) missing(now time.Time) func(yield func(*rtps.Set) bool) {
	end := s.n
	if now.Sub(s.at) < answerAfter {
		end = s.highest
	}
	return func(yield func(*rtps.Set) bool) {
		var set rtps.Set
		for i := range end {
			if s.have[i/64]&(1<<(i%64)) != 0 {
				continue
			}
			if set.N > 0 && !set.Add(int64(i)+1) {
				if !yield(&set) {
					return
				}
				set = rtps.Set{}
			}
			if set.N == 0 {
				set.Base = int64(i) + 1
				set.Add(set.Base)
			}
		}
		if set.N > 0 {
			yield(&set)
		}
	}
}
