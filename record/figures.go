package record

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"rsros/bagstore"
	"rsros/msgs"
)

// Figures describes a running recording: what a terminal, ~status, /diagnostics and the viewer's page show of it.
type Figures struct {
	File        string // the current one
	Files       int    // so far
	Paused      bool
	Duration    time.Duration // since it began, without pauses
	Bytes       int64         // of its files
	Free        int64         // bytes of the disk; -1 if unknown
	Compression string        // of the files
	Ring        string        // what a ring has; "" without one
	Dropping    string        // why messages are dropped until something changes; "" if none are
	Uploads     string        // what waits for upload; "" without uploads
	Rows        []Row         // sorted by name
}

// Total adds up the rows of a recording, or of several.
func Total(list ...Figures) Row {
	t := Row{Name: "Total", Publishers: -1}
	for _, f := range list {
		for _, r := range f.Rows {
			t.Rate += r.Rate
			t.Speed += r.Speed
			t.Messages += r.Messages
			t.Bytes += r.Bytes
			t.Drops += r.Drops
			t.Queue += r.Queue
			t.Lost += r.Lost
		}
	}
	return t
}

// report adds the figures to a status.
func (f Figures) report(s *msgs.DiagnosticStatus) {
	add := func(key, value string) { s.Values = append(s.Values, msgs.KeyValue{Key: key, Value: value}) }
	add("Compression", f.Compression)
	if f.Free >= 0 {
		add("Free bytes", fmt.Sprint(f.Free))
	}
	if f.Ring != "" {
		add("Ring", f.Ring)
	}
	for _, r := range append(f.Rows, Total(f)) {
		add(r.Name, r.String())
	}
}

// Row is one topic or stream of a recording.
type Row struct {
	Name       string
	Type       string
	Publishers int     // connected ones of a topic; -1 for streams
	Rate       float64 // messages a second, of the last seconds
	Speed      float64 // bytes a second
	Messages   uint64  // recorded, or waiting
	Bytes      uint64  // of these
	Drops      uint64
	Queue      int64  // bytes that wait for the disk
	Lost       uint64 // before they arrived
}

// String describes the row but for its name.
func (r Row) String() string {
	text := ""
	if r.Type != "" {
		text = r.Type + ", "
	}
	switch {
	case r.Publishers == 1:
		text += "1 publisher, "
	case r.Publishers >= 0:
		text += fmt.Sprintf("%d publishers, ", r.Publishers)
	}
	return text + fmt.Sprintf("%.1f Hz, %.2f MB/s, %d messages, %.1f MB, %d dropped, %d bytes waiting, %d lost before arrival",
		r.Rate, r.Speed/1e6, r.Messages, float64(r.Bytes)/1e6, r.Drops, r.Queue, r.Lost)
}

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

// Figures describes the recording.
func (t *TopicRecording) Figures() Figures {
	p, f := t.Progress(), t.recorder.figures()
	f.Duration, f.Bytes = p.Duration, p.Bytes
	return f
}

// figures returns them without duration and size. It may be called from any goroutine.
func (r *topicRecorder) figures() Figures {
	path := r.files.path()
	return Figures{
		File: filepath.Base(path), Files: r.files.totals().Files, Paused: r.paused.Load(), Free: r.space.left(path), Compression: compression(r.opts.Bag),
		Ring: r.files.describe(), Dropping: r.space.reason("messages"), Uploads: r.space.waiting(), Rows: r.rows(),
	}
}

// compression describes that of files.
func compression(o bagstore.Options) string {
	if o.LZ4Topics != nil {
		return "lz4 of some topics"
	}
	return string(o.Kind())
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
	h := f.subscriber.Headers()
	row := Row{Name: name, Publishers: len(h), Drops: f.drops.count(), Queue: queued, Lost: f.missing()}
	f.meter.read(&row)
	if len(h) > 0 {
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
	for _, t := range r.taps {
		for _, p := range slices.Concat(t.Profiles...) {
			id := p.Stream
			row := Row{Name: id.String(), Type: p.Format.String(), Publishers: -1, Drops: t.dropped.Of(id).Load(), Queue: r.queue.Held(queueKey{tap: t, stream: id}), Lost: t.missing(id)}
			if len(r.taps) > 1 {
				row.Name = t.Name + "/" + row.Name
			}
			t.meters.Of(id).read(&row)
			rows = append(rows, row)
		}
	}
	return append(rows, r.topicRows()...)
}

func (r *session) measure(at time.Time) {
	for _, t := range r.taps {
		for _, m := range t.meters.All() {
			m.tick(at)
		}
	}
	for _, f := range r.extra.all() {
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
	f = rec.figures()
	f.Files, f.Duration, f.Bytes = p.Files, p.Duration, p.Bytes
	return f, true
}

// figures returns them without files, duration and size. It may be called from any goroutine.
func (r *session) figures() Figures {
	path := r.path()
	return Figures{
		File: filepath.Base(path), Paused: r.paused.Load(), Free: r.space.left(path), Compression: r.compression,
		Ring: r.parts.describe(), Dropping: r.space.reason("frames"), Uploads: r.space.waiting(), Rows: r.rows(),
	}
}
