package bagstore

import (
	"context"
	"fmt"
	"regexp"
	"slices"
)

// Filter selects messages. The zero value takes all.
type Filter struct {
	// Topics to keep; empty keeps all.
	Topics []string
	// Match keeps topics that it matches in full; nil keeps all. A topic in
	// Topics is kept as well.
	Match *regexp.Regexp
	// Exclude drops topics that it matches in full.
	Exclude *regexp.Regexp
	// Types to keep, such as "sensor_msgs/Image"; empty keeps all.
	Types []string
	// Start and End bound the time, both inclusive; 0 leaves that side open.
	Start, End Time
	// Latched keeps, of what comes before Start, the last message of each
	// latching connection, moved to Start: late subscribers would have it.
	Latched bool
}

// Query is the filter as a view takes it; what Latched asks for is not in it.
func (f Filter) Query() Query {
	return Query{Start: f.Start, End: f.End, Connections: f.keeps}
}

func (f Filter) keeps(c *Connection) bool {
	if matches(f.Exclude, c.Topic) {
		return false
	}
	if len(f.Types) > 0 && !slices.Contains(f.Types, c.Type) {
		return false
	}
	if len(f.Topics) == 0 && f.Match == nil {
		return true
	}
	return slices.Contains(f.Topics, c.Topic) || matches(f.Match, c.Topic)
}

// matches tells whether the expression matches all of s.
func matches(re *regexp.Regexp, s string) bool {
	if re == nil {
		return false
	}
	at := re.FindStringIndex(s)
	if at == nil {
		return false
	}
	if at[0] == 0 && at[1] == len(s) {
		return true
	}
	// The leftmost match may be shorter than another one.
	full, err := regexp.Compile(`^(?:` + re.String() + `)$`)
	return err == nil && full.MatchString(s)
}

// RewriteOptions says how bags are copied.
type RewriteOptions struct {
	// Options of the new bag. Checkpoints are left out.
	Options
	Filter
	// Overwrite replaces a file that has the output's name.
	Overwrite bool
	Progress  Progress // in messages
}

// RewriteResult is what was copied.
type RewriteResult struct {
	Messages uint64 `json:"messages"`
	Latched  uint64 `json:"latched"` // of them moved to the start
	Bytes    uint64 `json:"bytes"`   // of message data
	Size     int64  `json:"size"`    // of the new file
}

// Rewrite copies one bag into another, with another compression or fewer
// messages, in time order. Messages are copied as they are. The output appears
// under its name when it is whole; it may be the input, to replace it.
func Rewrite(ctx context.Context, in, out string, o RewriteOptions) (*RewriteResult, error) {
	return Merge(ctx, []string{in}, out, o)
}

// Merge copies bags into one, in time order. Connections that are alike become
// one.
func Merge(ctx context.Context, ins []string, out string, o RewriteOptions) (*RewriteResult, error) {
	if err := checkOutput(out, o.Overwrite); err != nil {
		return nil, err
	}
	bags, closeAll, err := openAll(ins, OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer closeAll()
	v, err := NewView(bags, o.Query())
	if err != nil {
		return nil, err
	}
	w, err := newOutput(out, o.Options)
	if err != nil {
		return nil, err
	}
	res := &RewriteResult{}
	if err := w.finish(res.copyAll(ctx, w, v, o)); err != nil {
		return nil, err
	}
	s := w.Stats()
	res.Messages, res.Bytes, res.Size = s.Messages, s.Bytes, s.Size
	return res, nil
}

func (res *RewriteResult) copyAll(ctx context.Context, w *output, v *View, o RewriteOptions) error {
	if o.Start > MinTime {
		if err := copyStatic(w, v.bags, o.Filter); err != nil {
			return err
		}
	}
	var err error
	if res.Latched, err = copyLatched(ctx, w, v.bags, o.Filter); err != nil {
		return err
	}
	p := pace{ctx: ctx, progress: o.Progress, total: v.Count()}
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		if err := w.copy(m.Conn, m.Time, m.Data); err != nil {
			return err
		}
		if err := p.step(); err != nil {
			return err
		}
	}
	return it.Err()
}

// copyStatic writes the messages at MinTime: a RealSense recording describes its
// device there, outside its time line, and no part of it plays without.
func copyStatic(w *output, bags []*Bag, f Filter) error {
	v, err := NewView(bags, Query{Start: MinTime, End: MinTime, Connections: f.keeps})
	if err != nil {
		return err
	}
	it := v.Iterator()
	defer it.Close()
	for it.Next() {
		m := it.Message()
		if err := w.copy(m.Conn, m.Time, m.Data); err != nil {
			return err
		}
	}
	return it.Err()
}

// copyLatched writes the latched messages from before the filter's start.
func copyLatched(ctx context.Context, w *output, bags []*Bag, f Filter) (uint64, error) {
	n := uint64(0)
	err := f.eachLatched(ctx, bags, func(m Message) error {
		n++
		return w.copy(m.Conn, f.Start, m.Data)
	})
	return n, err
}

// eachLatched gives the messages that Latched asks for, with their own times.
func (f Filter) eachLatched(ctx context.Context, bags []*Bag, do func(Message) error) error {
	if !f.Latched || f.Start == 0 {
		return nil
	}
	v, err := NewView(bags, Query{Start: MinTime + 1, End: f.Start - 1, Connections: func(c *Connection) bool { return c.Latching && f.keeps(c) }})
	if err != nil {
		return err
	}
	return LastOfEach(ctx, v, f.Start, do)
}

// LastOfEach calls f with the last message before t of each connection of the
// view, in time order.
func LastOfEach(ctx context.Context, v *View, t Time, f func(Message) error) error {
	it := v.Iterator()
	defer it.Close()
	it.Seek(t)
	missing := make(map[*Connection]bool)
	for _, c := range v.conns {
		missing[c] = true
	}
	var found []held
	defer func() {
		for _, h := range found {
			h.b.Release()
		}
	}()
	for n := 0; len(missing) > 0 && it.SkipPrev(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if c := it.Message().Conn; missing[c] {
			delete(missing, c)
			if !it.load() {
				break
			}
			found = append(found, held{it.Message(), it.Message().Hold()})
		}
	}
	if err := it.Err(); err != nil {
		return fmt.Errorf("latched messages: %w", err)
	}
	slices.Reverse(found)
	for _, h := range found {
		if err := f(h.m); err != nil {
			return err
		}
	}
	return nil
}
