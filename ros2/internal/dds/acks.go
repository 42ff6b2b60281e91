package dds

import (
	"time"

	"rsros/ros2/internal/rtps"
)

const (
	answerAfter  = 5 * time.Millisecond // a heartbeat; what it names may be on its way
	firstTries   = 25                   // ACKNACKs to a writer that sends no heartbeat
	firstTryWait = 50 * time.Millisecond
	mostTryWait  = 400 * time.Millisecond
)

// schedule answers the writer soon. The caller holds the reader's mu.
func (in *inlet) schedule() {
	if in.timer != nil {
		return
	}
	wait := answerAfter
	if !in.heard && in.tries > 0 {
		wait = min(firstTryWait<<in.tries, mostTryWait)
	}
	in.r.p.wg.Add(1)
	in.timer = time.AfterFunc(wait, in.answer)
}

// unschedule drops an answer that hasn't begun. The caller holds the reader's mu.
func (in *inlet) unschedule() {
	if in.timer != nil && in.timer.Stop() {
		in.r.p.wg.Done()
	}
}

// answer sends an ACKNACK, and NACK_FRAGs of samples that have come in part. The timer calls it.
func (in *inlet) answer() {
	defer in.r.p.wg.Done()
	in.r.mu.Lock()
	if in.timer = nil; in.ended {
		in.r.mu.Unlock()
		return
	}
	b := in.acknowledge()
	if !in.heard {
		if in.tries++; in.tries < firstTries {
			in.schedule()
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
