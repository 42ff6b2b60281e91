package bagstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"rsros/bagstore/internal/record"
)

// InfoOptions says how much Info finds out.
type InfoOptions struct {
	// Rates reads every chunk's index, for rates and gaps.
	Rates bool
	// Sizes reads every message's header, for sizes; it decompresses.
	Sizes    bool
	Progress Progress // in messages for Rates, then in chunks for Sizes
}

// Summary is what can be said about a bag.
type Summary struct {
	Path         string           `json:"path"`
	Version      string           `json:"version"`
	Indexed      bool             `json:"indexed"`
	Size         int64            `json:"size"` // of the file
	Start        Time             `json:"start"`
	End          Time             `json:"end"`
	Messages     uint64           `json:"messages"`
	Chunks       int              `json:"chunks"`
	Compressions []CompressionUse `json:"compressions"` // most chunks first
	Stored       int64            `json:"stored"`       // bytes of all chunks in the file
	Uncompressed int64            `json:"uncompressed"` // bytes of all chunks
	Types        []TypeSummary    `json:"types"`        // by name
	Topics       []TopicSummary   `json:"topics"`       // by name
	Notes        []Note           `json:"notes"`
}

// Duration from the first message to the last.
func (s *Summary) Duration() time.Duration { return s.End.Sub(s.Start) }

// CompressionUse counts the chunks of one compression.
type CompressionUse struct {
	Kind   Compression `json:"kind"`
	Chunks int         `json:"chunks"`
}

// TypeSummary is a message type of the bag.
type TypeSummary struct {
	Type string `json:"type"`
	MD5  string `json:"md5"`
}

// TopicSummary is a topic of the bag.
type TopicSummary struct {
	Topic       string       `json:"topic"`
	Type        string       `json:"type"`
	MD5         string       `json:"md5"`
	Messages    uint64       `json:"messages"`
	Connections int          `json:"connections"`
	Latching    bool         `json:"latching"`
	Rates       *TopicRates  `json:"rates,omitempty"`
	Sizes       *TopicSizes  `json:"sizes,omitempty"`
	Connected   []Connection `json:"-"` // all of them
}

// TopicRates says how regular a topic is. Rates are in Hz; 0 where there are
// less than two messages, or all at one time.
type TopicRates struct {
	First      Time          `json:"first"`
	Last       Time          `json:"last"`
	Min        float64       `json:"min"` // of the longest interval
	Mean       float64       `json:"mean"`
	Median     float64       `json:"median"`
	Max        float64       `json:"max"`         // of the shortest interval
	Gaps       uint64        `json:"gaps"`        // intervals over 2.5 medians
	LongestGap time.Duration `json:"longest_gap"` // ns
	GapAt      Time          `json:"gap_at"`      // where it begins
}

// TopicSizes are bytes of message data.
type TopicSizes struct {
	Bytes uint64 `json:"bytes"`
	Min   int64  `json:"min"`
	Max   int64  `json:"max"`
}

func (t *TopicSizes) add(size int64) {
	t.Bytes += uint64(size)
	t.Min, t.Max = min(t.Min, size), max(t.Max, size)
}

// Info summarizes a bag. Without options it reads the index section and the
// chunks' headers, but no message.
func Info(ctx context.Context, path string, o InfoOptions) (*Summary, error) {
	b, err := Open(path, OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return b.Info(ctx, o)
}

// Info summarizes an open bag, see [Info].
func (b *Bag) Info(ctx context.Context, o InfoOptions) (*Summary, error) {
	s, err := b.summary()
	if err != nil {
		return s, err
	}
	if o.Rates {
		if err := s.rates(ctx, b, o.Progress); err != nil {
			return s, err
		}
	}
	if o.Sizes {
		if err := s.sizes(ctx, b, o.Progress); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (b *Bag) summary() (*Summary, error) {
	s := &Summary{Path: b.path, Version: b.version, Indexed: b.indexed, Size: b.onDisk, Start: b.Start(), End: b.End(),
		Messages: b.MessageCount(), Chunks: len(b.chunks), Notes: b.Notes()}
	if err := s.storage(b); err != nil {
		return s, err
	}
	counts := b.countByID()
	types := make(map[TypeSummary]bool)
	topics := make(map[string]*TopicSummary)
	for _, c := range b.conns {
		types[TypeSummary{c.Type, c.MD5}] = true
		t, ok := topics[c.Topic]
		if !ok {
			t = &TopicSummary{Topic: c.Topic, Type: c.Type, MD5: c.MD5}
			topics[c.Topic] = t
		}
		t.Messages += counts[c.ID]
		t.Connections++
		t.Latching = t.Latching || c.Latching
		t.Connected = append(t.Connected, *c)
	}
	s.Types = slices.SortedFunc(maps.Keys(types), func(x, y TypeSummary) int {
		return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.MD5, y.MD5))
	})
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		s.Topics = append(s.Topics, *topics[name])
	}
	return s, nil
}

// countByID is how many messages the chunk infos count of each connection.
func (b *Bag) countByID() map[uint32]uint64 {
	n := make(map[uint32]uint64)
	for i := range b.chunks {
		for _, k := range b.chunks[i].Counts {
			n[k.ID] += uint64(k.Count)
		}
	}
	return n
}

// storageReaders is how many goroutines read chunk headers at a time. They are far apart
// in the file, and a disk answers several requests in hardly more time than one.
const storageReaders = 16

// storage adds up the chunk headers.
func (s *Summary) storage(b *Bag) error {
	var (
		readers sync.WaitGroup
		parts   [storageReaders]storagePart
	)
	each := (len(b.chunks) + storageReaders - 1) / storageReaders
	for i := range parts {
		from := min(i*each, len(b.chunks))
		chunks := b.chunks[from:min(from+each, len(b.chunks))]
		readers.Go(func() { parts[i].read(b, chunks) })
	}
	readers.Wait()
	uses := make(map[Compression]int)
	for i := range parts {
		if err := parts[i].err; err != nil {
			return err
		}
		for kind, n := range parts[i].uses {
			uses[kind] += n
		}
		s.Stored += parts[i].stored
		s.Uncompressed += parts[i].uncompressed
	}
	for kind, n := range uses {
		s.Compressions = append(s.Compressions, CompressionUse{kind, n})
	}
	slices.SortFunc(s.Compressions, func(x, y CompressionUse) int {
		return cmp.Or(cmp.Compare(y.Chunks, x.Chunks), cmp.Compare(x.Kind, y.Kind))
	})
	return nil
}

// storagePart is what the headers of some chunks add up to.
type storagePart struct {
	uses         map[Compression]int
	stored       int64
	uncompressed int64
	err          error
}

func (p *storagePart) read(b *Bag, chunks []chunk) {
	l := newChunkReader(b)
	p.uses = make(map[Compression]int)
	for i := range chunks {
		head, err := l.header(&chunks[i])
		if err != nil {
			p.err = err
			return
		}
		p.uses[head.Compression]++
		p.stored += head.Stored
		p.uncompressed += head.Size
	}
}

// maxIntervals bounds the intervals that a topic's median is taken of.
const maxIntervals = 1 << 20

// rates walks the index in time order.
func (s *Summary) rates(ctx context.Context, b *Bag, p Progress) error {
	v, err := NewView([]*Bag{b}, Query{})
	if err != nil {
		return err
	}
	it := v.Iterator()
	defer it.Close()
	intervals := make(map[string][]Time)
	found := make(map[string]*TopicRates)
	for n := uint64(0); it.SkipNext(); n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			p.report(n, s.Messages)
		}
		m := it.Message()
		r, ok := found[m.Conn.Topic]
		if !ok {
			found[m.Conn.Topic] = &TopicRates{First: m.Time, Last: m.Time}
			continue
		}
		d := m.Time - r.Last
		if d.Sub(0) > r.LongestGap {
			r.LongestGap, r.GapAt = d.Sub(0), r.Last
		}
		r.Last = m.Time
		if list := intervals[m.Conn.Topic]; len(list) < maxIntervals {
			intervals[m.Conn.Topic] = append(list, d)
		}
	}
	for i := range s.Topics {
		t := &s.Topics[i]
		if t.Rates = found[t.Topic]; t.Rates != nil {
			t.Rates.finish(t.Messages, intervals[t.Topic])
		}
	}
	return it.Err()
}

func (r *TopicRates) finish(messages uint64, intervals []Time) {
	if len(intervals) == 0 || r.Last == r.First {
		return
	}
	slices.Sort(intervals)
	hz := func(d float64) float64 {
		if d <= 0 {
			return 0
		}
		return nsPerSec / d
	}
	n := len(intervals)
	median := float64(intervals[n/2])
	if n%2 == 0 {
		median = (float64(intervals[n/2-1]) + median) / 2
	}
	r.Min, r.Max = hz(float64(r.LongestGap)), hz(float64(intervals[0]))
	r.Median = hz(median)
	r.Mean = hz(float64(r.Last-r.First) / float64(messages-1))
	from, _ := slices.BinarySearch(intervals, Time(2.5*median)+1)
	r.Gaps = uint64(n - from)
}

// sizes walks the records of every chunk.
func (s *Summary) sizes(ctx context.Context, b *Bag, p Progress) error {
	l := newChunkReader(b)
	sizes := make(map[uint32]*TopicSizes)
	if b.content != nil {
		if err := contentSizes(ctx, b, p, sizes); err != nil {
			return err
		}
	}
	for i := range b.chunks {
		if b.content != nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		p.report(uint64(i), uint64(len(b.chunks)))
		w := walker{bag: b, onMessage: func(_ record.Source, r *record.Record, e entry) error {
			size := r.DataLen
			t, ok := sizes[e.conn]
			if !ok {
				t = &TopicSizes{Min: size}
				sizes[e.conn] = t
			}
			t.add(size)
			return nil
		}}
		if _, _, err := l.walkContent(&b.chunks[i], w); err != nil && !b.chunks[i].torn {
			return b.errorAt(b.chunks[i].Pos, "chunk", err)
		}
	}
	for i := range s.Topics {
		t := &s.Topics[i]
		for _, c := range t.Connected {
			k := sizes[c.ID]
			switch {
			case k == nil:
			case t.Sizes == nil:
				t.Sizes = k
			default:
				t.Sizes.Bytes += k.Bytes
				t.Sizes.Min, t.Sizes.Max = min(t.Sizes.Min, k.Min), max(t.Sizes.Max, k.Max)
			}
		}
	}
	return nil
}
