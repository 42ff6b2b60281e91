package record

import (
	"sync"
	"time"
)

// meter counts the messages of a topic or stream, and measures their rate.
type meter struct {
	mu      sync.Mutex
	now     sample
	dropped sample    // part of now
	earlier [5]sample // one a second, oldest first; zero ones are missing
}

type sample struct {
	at              time.Time
	messages, bytes uint64
}

func (m *meter) add(bytes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.messages++
	m.now.bytes += uint64(bytes)
}

// drop counts a message of n bytes that was added and isn't recorded.
func (m *meter) drop(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropped.messages++
	m.dropped.bytes += uint64(n)
}

// tick is called once a second.
func (m *meter) tick(at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(m.earlier[:], m.earlier[1:])
	m.now.at = at
	m.earlier[len(m.earlier)-1] = m.now
}

// read completes a row with what was counted.
func (m *meter) read(r *Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Messages, r.Bytes = m.now.messages-m.dropped.messages, m.now.bytes-m.dropped.bytes
	last := m.earlier[len(m.earlier)-1]
	for _, first := range m.earlier {
		if seconds := last.at.Sub(first.at).Seconds(); !first.at.IsZero() && seconds > 0 {
			r.Rate, r.Speed = float64(last.messages-first.messages)/seconds, float64(last.bytes-first.bytes)/seconds
			return
		}
	}
}
