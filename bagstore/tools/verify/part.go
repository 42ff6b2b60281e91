package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/proof"
)

// Part compares the messages of a bag that was made from a recording, by filter, split, compress or others, with the
// log of that recording. It also checks the bag as check does.
func Part(ctx context.Context, path string, o Options) (*Report, error) {
	p, rep, err := begin(path, o.Log, o.Key)
	if err != nil {
		return nil, err
	}
	defer p.Close() //nolint:errcheck // only read
	rep.Part = true
	bag, err := bagstore.Open(path, bagstore.OpenOptions{Context: ctx, Whole: true})
	if err != nil {
		return nil, err
	}
	defer bag.Close() //nolint:errcheck // only read
	v := &part{p: p, rep: rep, bag: bag, hash: proof.NewHasher(), ids: make(map[*bagstore.Connection][]uint32), used: make(map[int][]bool)}
	if err := v.load(); err != nil {
		return nil, err
	}
	report, err := bag.Check(ctx, bagstore.CheckOptions{Progress: o.Progress, Message: v.message})
	if err != nil {
		return nil, err
	}
	for _, n := range report.Notes {
		if n.Severity > bagstore.Harmless {
			rep.add(Difference{Kind: Changed, What: n.Kind, Offset: n.Offset, Text: fmt.Sprintf("%s at byte %d: %s", n.Kind, n.Offset, n.Text)})
		}
	}
	return rep, cmp.Or(v.err, v.leftOut())
}

// part looks up messages in a log. It keeps the times of all chunks, what was used of each, and a few decoded ones.
type part struct {
	p    *proof.Proof
	rep  *Report
	bag  *bagstore.Bag
	hash *proof.Hasher
	err  error // of reading the log

	chunks      []signedChunk   // by time of their first message
	latest      []bagstore.Time // of the ends of chunks up to this one
	open        []*openChunk
	used        map[int][]bool                    // by leaf: messages that the part has
	ids         map[*bagstore.Connection][]uint32 // the IDs that a connection has in the log
	first, last bagstore.Time
	any         bool
}

type signedChunk struct {
	leaf, number int
	start, end   bagstore.Time
}

// openChunk is a decoded chunk of the log.
type openChunk struct {
	signedChunk
	messages []proof.Message
	at       map[int64][]int // messages by time
}

// maxOpen is the number of decoded chunks. Messages of a part are in the order of their times, as chunks mostly are.
const maxOpen = 16

func (v *part) load() error {
	var c proof.Chunk
	for i := range v.p.Len() {
		if v.p.Leaf(i) != proof.KindChunk {
			continue
		}
		if err := v.p.Chunk(i, &c); err != nil {
			return err
		}
		s := signedChunk{leaf: i, number: len(v.chunks) + 1}
		if len(c.Messages) > 0 {
			s.start, s.end = span(c.Messages)
		}
		v.chunks = append(v.chunks, s)
	}
	slices.SortStableFunc(v.chunks, func(x, y signedChunk) int { return cmp.Compare(x.start, y.start) })
	end := bagstore.Time(0)
	for _, c := range v.chunks {
		end = max(end, c.end)
		v.latest = append(v.latest, end)
	}
	return nil
}

// at calls do for each chunk of the log that may have a message of time t, until do returns false.
func (v *part) at(t bagstore.Time, do func(*openChunk) bool) {
	i, _ := slices.BinarySearchFunc(v.chunks, t, func(c signedChunk, t bagstore.Time) int {
		if c.start <= t {
			return -1
		}
		return 1
	})
	for i--; i >= 0 && v.latest[i] >= t; i-- {
		if v.chunks[i].end < t {
			continue
		}
		c, err := v.decoded(v.chunks[i])
		if v.err = cmp.Or(v.err, err); err != nil || !do(c) {
			return
		}
	}
}

func (v *part) decoded(s signedChunk) (*openChunk, error) {
	if i := slices.IndexFunc(v.open, func(c *openChunk) bool { return c.leaf == s.leaf }); i >= 0 {
		return v.open[i], nil
	}
	var c proof.Chunk
	if err := v.p.Chunk(s.leaf, &c); err != nil {
		return nil, err
	}
	o := &openChunk{s, c.Messages, make(map[int64][]int)}
	for i, m := range c.Messages {
		o.at[m.Time] = append(o.at[m.Time], i)
	}
	if v.used[s.leaf] == nil {
		v.used[s.leaf] = make([]bool, len(c.Messages))
	}
	if v.open = append(v.open, o); len(v.open) > maxOpen {
		v.open = v.open[1:]
	}
	return o, nil
}

// connIDs returns the IDs that the log has for a connection of the part.
func (v *part) connIDs(c *bagstore.Connection) []uint32 {
	ids, ok := v.ids[c]
	if !ok {
		d := c.Digest()
		for _, s := range v.p.Connections {
			if s.Digest == d {
				ids = append(ids, s.ID)
			}
		}
		v.ids[c] = ids
	}
	return ids
}

// message looks up a message of the part.
func (v *part) message(m bagstore.Message, err error) {
	if err != nil || v.err != nil {
		return // Check notes the damage
	}
	v.hash.Data(m.Data)
	data := v.hash.Loose()
	if v.last = max(v.last, m.Time); !v.any || m.Time < v.first {
		v.first, v.any = m.Time, true
	}
	ids := v.connIDs(m.Conn)
	found, repeated, similar := false, false, 0
	v.at(m.Time, func(c *openChunk) bool {
		for _, i := range c.at[int64(m.Time)] {
			s := &c.messages[i]
			if !slices.Contains(ids, s.Conn) {
				continue
			}
			if s.Data == data && !v.used[c.leaf][i] {
				v.used[c.leaf][i], found = true, true
				return false
			}
			repeated = repeated || s.Data == data
			similar = c.number
		}
		return true
	})
	if found {
		v.rep.Messages++
		return
	}
	if n := len(v.latest); !v.p.Complete && (n == 0 || m.Time > v.latest[n-1]) {
		v.rep.UnprovenMessages++
		return
	}
	d := Difference{Kind: Added, What: "message", Chunk: similar, Offset: -1, Topic: m.Conn.Topic, Time: m.Time,
		Text: fmt.Sprintf("a message of %s at %s, which the recording doesn't have", m.Conn.Topic, stamp(m.Time))}
	switch {
	case repeated:
		d.Text = fmt.Sprintf("the message of %s at %s once more than in the recording", m.Conn.Topic, stamp(m.Time))
	case len(ids) == 0:
		d.Text += ": nor a topic with this description"
	case similar > 0:
		d.Kind, d.Text = Changed, fmt.Sprintf("the message of %s at %s, in chunk %d of the recording", m.Conn.Topic, stamp(m.Time), similar)
	}
	v.rep.add(d)
}

// leftOut counts the messages of the part's topics, between its first and its last one, that it doesn't have.
func (v *part) leftOut() error {
	ours := make(map[uint32]bool)
	for _, ids := range v.ids {
		for _, id := range ids {
			ours[id] = true
		}
	}
	var c proof.Chunk
	for _, s := range v.chunks {
		if !v.any || s.end < v.first || s.start > v.last {
			continue
		}
		if err := v.p.Chunk(s.leaf, &c); err != nil {
			return err
		}
		used := v.used[s.leaf]
		for i, m := range c.Messages {
			if t := bagstore.Time(m.Time); ours[m.Conn] && t >= v.first && t <= v.last && (used == nil || !used[i]) {
				v.rep.LeftOut++
			}
		}
	}
	return nil
}
