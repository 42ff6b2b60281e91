package record

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"rsros/msgs"
)

// Figures describes a running recording: what a terminal, ~status and /diagnostics show of it.
type Figures struct {
	File     string // the current one
	Paused   bool
	Duration time.Duration // since it began, without pauses
	Bytes    int64         // of its files
	Ring     string        // what a ring has; "" without one
	Rows     []Row         // sorted by name
}

// Row is one topic or stream of a recording.
type Row struct {
	Name     string
	Type     string
	Rate     float64 // messages a second, of the last seconds
	Speed    float64 // bytes a second
	Messages uint64  // recorded, or waiting
	Drops    uint64
	Queue    int64  // bytes that wait for the disk
	Lost     uint64 // before they arrived
}

// value is the row in a status.
func (r Row) value() msgs.KeyValue {
	return msgs.KeyValue{Key: r.Name, Value: fmt.Sprintf("%s, %.1f Hz, %.2f MB/s, %d messages, %d dropped, %d bytes waiting, %d lost before arrival",
		cmp.Or(r.Type, "unknown type"), r.Rate, r.Speed/1e6, r.Messages, r.Drops, r.Queue, r.Lost)}
}

// meter counts the messages of a topic or stream, and measures their rate.
type meter struct {
	mu      sync.Mutex
	now     sample
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
	r.Messages = m.now.messages - min(r.Drops, m.now.messages)
	last := m.earlier[len(m.earlier)-1]
	for _, first := range m.earlier {
		if seconds := last.at.Sub(first.at).Seconds(); !first.at.IsZero() && seconds > 0 {
			r.Rate, r.Speed = float64(last.messages-first.messages)/seconds, float64(last.bytes-first.bytes)/seconds
			return
		}
	}
}

// Figures describes the recording.
func (t *TopicRecording) Figures() Figures {
	p := t.Progress()
	f := Figures{Paused: p.Paused, Duration: p.Duration, Bytes: p.Bytes, Ring: t.files.describe(), Rows: t.recorder.rows()}
	if n := len(p.Paths); n > 0 {
		f.File = filepath.Base(p.Paths[n-1])
	}
	return f
}

// rows may be called from any goroutine.
func (r *topicRecorder) rows() []Row {
	r.mu.Lock()
	flows := maps.Clone(r.flows)
	r.mu.Unlock()
	rows := make([]Row, 0, len(flows))
	for name, f := range flows {
		rows = append(rows, f.row(name, r.queue.Held(f)))
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Name, b.Name) })
	return rows
}

// row describes a topic of which queued bytes wait.
func (f *flow) row(name string, queued int64) Row {
	row := Row{Name: name, Drops: f.drops.count(), Queue: queued, Lost: f.subscriber.Stats().Missing}
	f.meter.read(&row)
	if h := f.subscriber.Headers(); len(h) > 0 {
		row.Type = h[0]["type"]
	}
	return row
}

// measure is called once a second.
func (r *topicRecorder) measure(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.flows {
		f.meter.tick(at)
	}
}

// rows may be called from any goroutine.
func (r *session) rows() (rows []Row) {
	taps := r.tapped()
	for _, t := range taps {
		for _, p := range slices.Concat(t.Profiles...) {
			id := p.Stream
			_, lost := t.Hub.Counts(id)
			row := Row{Name: id.String(), Type: p.Format.String(), Drops: t.dropped.Of(id).Load(), Queue: r.queue.Held(queueKey{tap: t, stream: id}), Lost: lost}
			if len(taps) > 1 {
				row.Name = t.Name + "/" + row.Name
			}
			t.meters.Of(id).read(&row)
			rows = append(rows, row)
		}
	}
	return append(rows, r.topicRows()...)
}

func (r *session) measure(at time.Time) {
	for _, t := range r.tapped() {
		for _, m := range t.meters.All() {
			m.tick(at)
		}
	}
	for _, f := range r.beside.all() {
		f.meter.tick(at)
	}
}

// Figures describes the current recording. ok is false if there is none.
func (r *Camera) Figures() (f Figures, ok bool) {
	p, ok := r.Progress()
	rec := r.current.Load()
	if !ok || rec == nil {
		return f, false
	}
	f = Figures{Paused: p.Paused, Duration: p.Duration, Bytes: p.Bytes, Ring: rec.parts.describe(), Rows: rec.rows()}
	if n := len(p.Paths); n > 0 {
		f.File = filepath.Base(p.Paths[n-1])
	}
	return f, true
}
