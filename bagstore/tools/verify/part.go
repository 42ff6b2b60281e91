package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/proof"
)

// Part compares the messages of a bag that was made from recordings, by filter, split, compress, merge or others, with the
// logs of these. It also checks the bag as check does.
func Part(ctx context.Context, path string, o Options) (*Report, error) {
	logs, rep, err := beginAll(ctx, path, o)
	defer closeAll(logs)
	if err != nil {
		return nil, err
	}
	bag, err := bagstore.Open(path, bagstore.OpenOptions{Context: ctx, Whole: true})
	if err != nil {
		return nil, err
	}
	defer bag.Close() //nolint:errcheck // only read
	v := &part{logs: logs, rep: rep, bag: bag, hash: proof.NewHasher(), ids: make(map[connectionIn][]uint32), used: make(map[leafOf][]bool), proven: make(map[*proof.Proof]times)}
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
	return rep, cmp.Or(v.err, v.countLeftOut())
}

// beginAll opens the logs of a part, also if it returns an error.
func beginAll(ctx context.Context, path string, o Options) (logs []*proof.Proof, all *Report, err error) {
	for _, log := range o.Logs {
		p, rep, err := begin(ctx, path, log, o.Key)
		if err != nil {
			return logs, nil, err
		}
		if logs = append(logs, p); len(logs) == 1 {
			rep.Part = true
			all = rep
			continue
		}
		if slices.ContainsFunc(logs[:len(logs)-1], func(other *proof.Proof) bool { return other.ID == p.ID }) {
			return logs, nil, fmt.Errorf("verify %s: %s is the log of a recording that was named before", path, log)
		}
		all.Recording += ", " + rep.Recording
		all.Root += ", " + rep.Root
		all.Complete, all.Open = all.Complete && rep.Complete, append(all.Open, rep.Open...)
		if rep.Signed.After(all.Signed) {
			all.Signed = rep.Signed
		}
		if rep.Note != "" {
			all.note(rep.Note)
		}
	}
	return logs, all, nil
}

func closeAll(logs []*proof.Proof) {
	for _, p := range logs {
		p.Close() //nolint:errcheck // only read
	}
}

// part looks up messages in logs. It keeps the times of all chunks, what was used of each, and a few decoded ones.
type part struct {
	logs []*proof.Proof
	rep  *Report
	bag  *bagstore.Bag
	hash *proof.Hasher
	err  error // of reading the logs

	chunks      []signedChunk   // by time of their first message
	latest      []bagstore.Time // of the ends of chunks up to this one
	open        []*openChunk
	proven      map[*proof.Proof]times    // of the messages of a log
	used        map[leafOf][]bool         // messages that the part has
	ids         map[connectionIn][]uint32 // the IDs that a connection has in a log
	first, last bagstore.Time
	any         bool
}

// leafOf is a leaf of a log.
type leafOf struct {
	log  *proof.Proof
	leaf int
}

type connectionIn struct {
	log  *proof.Proof
	conn *bagstore.Connection
}

// times are a span of time, both ends inclusive.
type times struct{ start, end bagstore.Time }

type signedChunk struct {
	leafOf
	number int
	times
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
	for _, p := range v.logs {
		if err := v.loadLog(p); err != nil {
			return err
		}
	}
	slices.SortStableFunc(v.chunks, func(x, y signedChunk) int { return cmp.Compare(x.start, y.start) })
	end := bagstore.Time(0)
	for _, c := range v.chunks {
		end = max(end, c.end)
		v.latest = append(v.latest, end)
	}
	return nil
}

func (v *part) loadLog(p *proof.Proof) error {
	var c proof.Chunk
	number, all := 0, times{start: bagstore.MaxTime}
	for i := range p.Len() {
		if p.Leaf(i) != proof.KindChunk {
			continue
		}
		if err := p.Chunk(i, &c); err != nil {
			return err
		}
		number++
		s := signedChunk{leafOf: leafOf{p, i}, number: number}
		if len(c.Messages) > 0 {
			s.start, s.end = span(c.Messages)
			all = times{min(all.start, s.start), max(all.end, s.end)}
		}
		v.chunks = append(v.chunks, s)
	}
	v.proven[p] = all
	return nil
}

// at calls do for each signed chunk that may have a message of time t, until do returns false.
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
	if i := slices.IndexFunc(v.open, func(c *openChunk) bool { return c.leafOf == s.leafOf }); i >= 0 {
		return v.open[i], nil
	}
	var c proof.Chunk
	if err := s.log.Chunk(s.leaf, &c); err != nil {
		return nil, err
	}
	o := &openChunk{s, c.Messages, make(map[int64][]int)}
	for i, m := range c.Messages {
		o.at[m.Time] = append(o.at[m.Time], i)
	}
	if v.used[s.leafOf] == nil {
		v.used[s.leafOf] = make([]bool, len(c.Messages))
	}
	if v.open = append(v.open, o); len(v.open) > maxOpen {
		v.open = v.open[1:]
	}
	return o, nil
}

// connIDs returns the IDs that a log has for a connection of the part.
func (v *part) connIDs(p *proof.Proof, c *bagstore.Connection) []uint32 {
	key := connectionIn{p, c}
	ids, ok := v.ids[key]
	if !ok {
		d := c.Digest()
		for _, s := range p.Connections {
			if s.Digest == d {
				ids = append(ids, s.ID)
			}
		}
		v.ids[key] = ids
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
	described := false
	for _, p := range v.logs {
		described = len(v.connIDs(p, m.Conn)) > 0 || described
	}
	found, repeated, similar := false, false, 0
	v.at(m.Time, func(c *openChunk) bool {
		ids := v.connIDs(c.log, m.Conn)
		for _, i := range c.at[int64(m.Time)] {
			s := &c.messages[i]
			if !slices.Contains(ids, s.Conn) {
				continue
			}
			if s.Data == data && !v.used[c.leafOf][i] {
				v.used[c.leafOf][i], found = true, true
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
	if v.late(m, described) {
		v.rep.UnprovenMessages++
		return
	}
	d := Difference{Kind: Added, What: "message", Chunk: similar, Offset: -1, Topic: m.Conn.Topic, Time: m.Time,
		Text: fmt.Sprintf("a message of %s at %s, which the recording doesn't have", m.Conn.Topic, stamp(m.Time))}
	switch {
	case repeated:
		d.Text = fmt.Sprintf("the message of %s at %s once more than in the recording", m.Conn.Topic, stamp(m.Time))
	case !described:
		d.Text += ": nor a topic with this description"
	case similar > 0:
		d.Kind, d.Text = Changed, fmt.Sprintf("the message of %s at %s, in chunk %d of the recording", m.Conn.Topic, stamp(m.Time), similar)
	}
	v.rep.add(d)
}

// late reports whether a recording that wasn't ended may have had a message after what is proven of it. Of the recordings
// whose topics have the message's description, if there are such, none may be proven at its time: it would have the message.
func (v *part) late(m bagstore.Message, described bool) (late bool) {
	for _, p := range v.logs {
		if described && len(v.connIDs(p, m.Conn)) == 0 {
			continue
		}
		t := v.proven[p]
		if m.Time >= t.start && m.Time <= t.end {
			return false
		}
		late = late || !p.Complete && m.Time > t.end
	}
	return late
}

// countLeftOut counts the messages of the part's topics, between its first and its last one, that it doesn't have.
func (v *part) countLeftOut() error {
	type connection struct {
		log *proof.Proof
		id  uint32
	}
	ours := make(map[connection]bool)
	for in, ids := range v.ids {
		for _, id := range ids {
			ours[connection{in.log, id}] = true
		}
	}
	var c proof.Chunk
	for _, s := range v.chunks {
		if !v.any || s.end < v.first || s.start > v.last {
			continue
		}
		if err := s.log.Chunk(s.leaf, &c); err != nil {
			return err
		}
		used := v.used[s.leafOf]
		for i, m := range c.Messages {
			if t := bagstore.Time(m.Time); ours[connection{s.log, m.Conn}] && t >= v.first && t <= v.last && (used == nil || !used[i]) {
				v.rep.LeftOut++
			}
		}
	}
	return nil
}
