// Package info summarizes a bag like rosbag info. A [Summary] prints itself as text, YAML and JSON.
package info

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"rsros/bagstore"
	"rsros/bagstore/place"
	"rsros/bagstore/realsense/rsbag"
)

// Options are the options of Summarize.
type Options struct {
	Rates bool // find rates and gaps, by reading every chunk's index
	Sizes bool // find sizes, by decompressing and reading every message's header
	Dates bool // find Recorded, by reading a frame of a RealSense recording
}

// Summary is a summary of a bag.
type Summary struct {
	Path    string        `json:"path"`
	Version string        `json:"version"`
	Indexed bool          `json:"indexed"`
	Size    int64         `json:"size"` // of the file
	Start   bagstore.Time `json:"start"`
	End     bagstore.Time `json:"end"`
	// of a RealSense recording, if Start and End count from its start
	Recorded     *Recorded        `json:"recorded,omitempty"`
	Messages     uint64           `json:"messages"`
	Chunks       int              `json:"chunks"`
	Compressions []CompressionUse `json:"compressions"` // most chunks first
	// at an address: those that Compressions, Stored and Uncompressed are of
	Sampled      int             `json:"sampled_chunks,omitempty"`
	Stored       int64           `json:"stored"`            // bytes of all chunks in the file
	Uncompressed int64           `json:"uncompressed"`      // bytes of all chunks
	Types        []TypeSummary   `json:"types"`             // by name
	Topics       []TopicSummary  `json:"topics"`            // by name
	Cameras      []rsbag.Camera  `json:"cameras,omitempty"` // devices or camera nodes
	Notes        []bagstore.Note `json:"notes"`
}

// Recorded has the Start and End of a Summary on the time line of the stamps; 0 without a date.
type Recorded struct {
	Start bagstore.Time `json:"start"`
	End   bagstore.Time `json:"end"`
}

// recorded returns nil if the times in the bag have dates, or are no recording's.
func recorded(b *bagstore.Recording) *Recorded {
	if !rsbag.IsRecording(b) || b.End().Absolute() {
		return nil
	}
	r := &Recorded{}
	if by := rsbag.TimeLineOf(b).Offset; by.Absolute() {
		r.Start, r.End = b.Start()+by, b.End()+by
	}
	return r
}

// Duration from the first message to the last.
func (s *Summary) Duration() time.Duration { return s.End.Sub(s.Start) }

// CompressionUse counts the chunks of one compression.
type CompressionUse struct {
	Kind         bagstore.Compression `json:"kind"`
	Chunks       int                  `json:"chunks"`
	Stored       int64                `json:"stored"` // bytes in the file
	Uncompressed int64                `json:"uncompressed"`
}

// TypeSummary is a message type of the bag.
type TypeSummary struct {
	Type string `json:"type"`
	MD5  string `json:"md5"`
}

// TopicSummary is a topic of the bag.
type TopicSummary struct {
	Topic       string                `json:"topic"`
	Type        string                `json:"type"`
	MD5         string                `json:"md5"`
	Messages    uint64                `json:"messages"`
	Connections int                   `json:"connections"`
	Latching    bool                  `json:"latching"`
	Rates       *TopicRates           `json:"rates,omitempty"`
	Sizes       *TopicSizes           `json:"sizes,omitempty"`
	Connected   []bagstore.Connection `json:"-"` // all of them
}

// TopicRates are rates in Hz, 0 if there aren't two messages of different times.
type TopicRates struct {
	First      bagstore.Time `json:"first"`
	Last       bagstore.Time `json:"last"`
	Min        float64       `json:"min"` // of the longest interval
	Mean       float64       `json:"mean"`
	Median     float64       `json:"median"`
	Max        float64       `json:"max"`         // of the shortest interval
	Gaps       uint64        `json:"gaps"`        // intervals over 2.5 medians
	LongestGap time.Duration `json:"longest_gap"` // ns
	GapAt      bagstore.Time `json:"gap_at"`      // where it begins
}

// TopicSizes are bytes of message data.
type TopicSizes struct {
	Bytes uint64 `json:"bytes"`
	Min   int64  `json:"min"`
	Max   int64  `json:"max"`
}

// Summarize summarizes a bag. Without options it reads no messages.
func Summarize(ctx context.Context, b *bagstore.Recording, o Options) (s *Summary, err error) {
	s = &Summary{Path: b.Path(), Version: b.Version(), Indexed: b.Indexed(), Size: b.Size(),
		Start: b.Start(), End: b.End(),
		Messages: b.MessageCount(), Topics: Topics(b), Cameras: rsbag.Cameras(b), Notes: b.Notes()}
	for _, block := range b.Blocks() {
		if !block.Continued {
			s.Chunks++
		}
	}
	var damage bagstore.Notes
	if s.Compressions, damage, err = Compressions(b); err != nil {
		return s, err
	}
	s.Notes = append(s.Notes, damage...)
	read := 0
	for _, u := range s.Compressions {
		read += u.Chunks
		s.Stored += u.Stored
		s.Uncompressed += u.Uncompressed
	}
	if read < s.Chunks {
		s.Sampled = read
	}
	types := make(map[TypeSummary]bool)
	for _, c := range b.Connections() {
		types[TypeSummary{c.Type, c.MD5}] = true
	}
	s.Types = slices.SortedFunc(maps.Keys(types), func(x, y TypeSummary) int {
		return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.MD5, y.MD5))
	})
	if o.Dates {
		s.Recorded = recorded(b)
	}
	if o.Rates {
		err = s.rates(ctx, b)
	}
	if o.Sizes && err == nil {
		err = s.sizes(ctx, b)
	}
	return s, err
}

// Topics returns the topics of a bag by name, without rates and sizes. It reads nothing.
func Topics(b *bagstore.Recording) (list []TopicSummary) {
	counts := b.Counts()
	topics := make(map[string]*TopicSummary)
	for _, c := range b.Connections() {
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
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		list = append(list, *topics[name])
	}
	return list
}

// Compressions returns the compressions of a bag's chunks, those of most chunks first, and notes about damaged chunks,
// which it leaves out. At an address, it reads some of the chunks' headers.
func Compressions(b *bagstore.Recording) ([]CompressionUse, bagstore.Notes, error) {
	heads, damage, err := b.SomeLayouts()
	if err != nil {
		return nil, nil, err
	}
	uses := make(map[bagstore.Compression]CompressionUse)
	for _, h := range heads {
		if h.Compression == "" {
			continue
		}
		u := uses[h.Compression]
		u.Kind = h.Compression
		if !h.Continued {
			u.Chunks++
		}
		if h.Stored > 0 { // otherwise neither is known
			u.Stored, u.Uncompressed = u.Stored+h.Stored, u.Uncompressed+h.Size
		}
		uses[h.Compression] = u
	}
	return slices.SortedFunc(maps.Values(uses), func(x, y CompressionUse) int {
		return cmp.Or(cmp.Compare(y.Chunks, x.Chunks), cmp.Compare(y.Kind, x.Kind)) // of as many chunks, as rosbag info
	}), damage, nil
}

// compressed reports whether any chunk is.
func (s *Summary) compressed() bool {
	return slices.ContainsFunc(s.Compressions, func(u CompressionUse) bool { return u.Kind != bagstore.None })
}

// maxIntervals bounds the intervals for a topic's median.
const maxIntervals = 1 << 20

func (s *Summary) rates(ctx context.Context, b *bagstore.Recording) error {
	v := b.View(bagstore.Query{})
	intervals := make(map[string][]bagstore.Time)
	found := make(map[string]*TopicRates)
	pace := bagstore.Pace{Ctx: ctx}
	for m, err := range v.Index() {
		if _, lost := errors.AsType[*bagstore.LostBlocks](err); lost && !place.Ended(err) {
			continue // the layouts have told
		}
		if err == nil {
			err = pace.Step()
		}
		if err != nil {
			return err
		}
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
	return nil
}

func (r *TopicRates) finish(messages uint64, intervals []bagstore.Time) {
	if len(intervals) == 0 || r.Last == r.First {
		return
	}
	slices.Sort(intervals)
	hz := func(d float64) float64 {
		if d <= 0 {
			return 0
		}
		return float64(time.Second) / d
	}
	n := len(intervals)
	median := float64(intervals[n/2])
	if n%2 == 0 {
		median = (float64(intervals[n/2-1]) + median) / 2
	}
	r.Min, r.Max = hz(float64(r.LongestGap)), hz(float64(intervals[0]))
	r.Median = hz(median)
	r.Mean = hz(float64(r.Last-r.First) / float64(messages-1))
	from, _ := slices.BinarySearch(intervals, bagstore.Time(2.5*median)+1)
	r.Gaps = uint64(n - from)
}

func (s *Summary) sizes(ctx context.Context, b *bagstore.Recording) error {
	topics := make(map[uint32]*TopicSummary)
	for i := range s.Topics {
		for _, c := range s.Topics[i].Connected {
			topics[c.ID] = &s.Topics[i]
		}
	}
	err := b.Sizes(ctx, nil, func(conn uint32, size int64) {
		t := topics[conn]
		if t == nil {
			return // damage: nothing describes the connection
		}
		if t.Sizes == nil {
			t.Sizes = &TopicSizes{Min: size}
		}
		t.Sizes.Bytes += uint64(size)
		t.Sizes.Min, t.Sizes.Max = min(t.Sizes.Min, size), max(t.Sizes.Max, size)
	})
	bad, ok := errors.AsType[*bagstore.FormatError](err)
	if !ok || place.Ended(err) {
		return err
	}
	if !slices.ContainsFunc(s.Notes, func(n bagstore.Note) bool { return n.Offset == bad.Offset }) {
		s.Notes = append(s.Notes,
			bagstore.Note{Offset: bad.Offset, Kind: bad.Kind, Severity: bagstore.Loss, Text: bad.Err.Error()})
	}
	return nil
}
