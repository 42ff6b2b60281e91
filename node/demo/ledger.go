package demo

import (
	"hash/maphash"
	"math"
	"sync"
	"time"

	"rsros/camdriver"
	"rsros/msgs"
)

// ledger keeps a hash of every frame of a camera and compares replayed messages with it.
type ledger struct {
	camdriver.NopHandler
	seed     maphash.Seed
	profiles [][]camdriver.Profile

	mu      sync.Mutex
	entries map[camdriver.StreamID]*ledgerEntry
}

// ledgerEntry is one stream's. Frame numbers have 32 bits, as in a message's header.
type ledgerEntry struct {
	given         map[uint32]uint64 // frame number → hash
	received      uint64
	same, changed uint64
	early, late   time.Duration // extremes of arrival minus stamp
	begun         bool
	seen          map[uint32]bool
}

func newLedger() *ledger {
	return &ledger{seed: maphash.MakeSeed(), entries: map[camdriver.StreamID]*ledgerEntry{}}
}

func (l *ledger) entry(id camdriver.StreamID) *ledgerEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.entries[id]
	if !ok {
		e = &ledgerEntry{given: map[uint32]uint64{}, seen: map[uint32]bool{}}
		l.entries[id] = e
	}
	return e
}

// Frame implements camdriver.Handler. The frames of a stream arrive one at a time and
// replay starts after the last one, so an entry needs no lock.
func (l *ledger) Frame(_ int, f *camdriver.Frame) {
	h := l.hashMotion(&f.Motion)
	if f.Profile.Stream.Kind.Video() {
		h = maphash.Bytes(l.seed, f.Data)
	}
	l.entry(f.Stream()).given[uint32(f.Number)] = h
}

func (l *ledger) replayed(id camdriver.StreamID, data []byte, now time.Time) {
	d := msgs.NewDecoder(data)
	var header msgs.Header
	var hash uint64
	if id.Kind.Video() {
		var head msgs.ImageHead
		head.Decode(d)
		header, hash = head.Header, maphash.Bytes(l.seed, d.Rest())
	} else {
		var m msgs.Imu
		d.Message(&m)
		header, hash = m.Header, l.hashMotion(&camdriver.MotionSample{
			Gyro:  [3]float64{m.AngularVelocity.X, m.AngularVelocity.Y, m.AngularVelocity.Z},
			Accel: [3]float64{m.LinearAcceleration.X, m.LinearAcceleration.Y, m.LinearAcceleration.Z},
		})
	}
	e := l.entry(id)
	e.received++
	want, known := e.given[header.Seq]
	switch {
	case d.Err() != nil || !known || want != hash:
		e.changed++
	case !e.seen[header.Seq]:
		e.seen[header.Seq] = true
		e.same++
	}
	e.arrived(now.Sub(header.Stamp.Time()))
}

func (e *ledgerEntry) arrived(delay time.Duration) {
	if !e.begun {
		e.begun, e.early, e.late = true, delay, delay
	}
	e.early, e.late = min(e.early, delay), max(e.late, delay)
}

// lateness returns the largest delay of a message relative to the smallest.
func (e *ledgerEntry) lateness() time.Duration { return e.late - e.early }

func (l *ledger) hashMotion(m *camdriver.MotionSample) uint64 {
	var e msgs.Encoder
	for _, v := range append(m.Gyro[:], m.Accel[:]...) {
		e.U64(math.Float64bits(v))
	}
	return maphash.Bytes(l.seed, e.B)
}
