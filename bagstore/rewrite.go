package bagstore

import "context"

// RewriteOptions are the options of Rewrite and Merge.
type RewriteOptions struct {
	// Options of the new bag. Checkpoints are left out.
	Options
	Filter
	// Keep, if it isn't nil, is called for each message that the filter selects. An
	// error stops the copying.
	Keep func(Message) (bool, error)
	// Damaged, if it isn't nil, is called for each message that can't be read, which is
	// then left out. Otherwise the first one ends the copying.
	Damaged  func(error)
	Progress Progress // in messages
}

// advance is it.Next for callers who leave out damaged messages if damaged isn't nil.
func advance(it *Iterator, damaged func(error)) bool {
	for !it.Next() {
		if it.Err() == nil || damaged == nil {
			return false
		}
		damaged(it.Err())
	}
	return true
}

// copy writes a message that Keep takes, with its own time or another one.
func (o RewriteOptions) copy(w *output, m Message, t Time) (copied bool, err error) {
	if o.Keep != nil {
		if keep, err := o.Keep(m); err != nil || !keep {
			return false, err
		}
	}
	return true, w.copy(m, t)
}

// RewriteResult says what was copied.
type RewriteResult struct {
	Messages uint64 `json:"messages"`
	Latched  uint64 `json:"latched"` // of them moved to the start
	Bytes    uint64 `json:"bytes"`   // of message data
	Size     int64  `json:"size"`    // of the new file
}

// Rewrite copies a bag in time order, with another compression or fewer messages.
// It doesn't decode the messages. The output gets its name when it is complete; it
// may be the input, which is then replaced.
func Rewrite(ctx context.Context, in, out string, o RewriteOptions) (*RewriteResult, error) {
	return Merge(ctx, []string{in}, out, o)
}

// Merge copies bags into one, in time order. Equal connections become one.
func Merge(ctx context.Context, ins []string, out string, o RewriteOptions) (*RewriteResult, error) {
	if err := checkOutput(out, o.Overwrite); err != nil {
		return nil, err
	}
	bags, closeAll, err := openAll(ins, OpenOptions{Whole: true})
	if err != nil {
		return nil, err
	}
	defer closeAll()
	return mergeBags(ctx, bags, out, o, closeAll)
}

// MergeBags is Merge for bags that are open, which may be recordings of other
// formats.
func MergeBags(ctx context.Context, bags []*Bag, out string, o RewriteOptions) (*RewriteResult, error) {
	return mergeBags(ctx, bags, out, o, func() {})
}

// mergeBags calls read when the bags have been read and the output doesn't have its name
// yet: it may be that of an input, and Windows replaces no file that is open.
func mergeBags(ctx context.Context, bags []*Bag, out string, o RewriteOptions, read func()) (*RewriteResult, error) {
	if err := checkOutput(out, o.Overwrite); err != nil {
		return nil, err
	}
	v, err := NewView(bags, o.Query())
	if err != nil {
		return nil, err
	}
	w, err := newOutput(out, o.Options)
	if err != nil {
		return nil, err
	}
	res := &RewriteResult{}
	err = res.copyAll(ctx, w, v, o)
	read()
	if err := w.finish(err); err != nil {
		return nil, err
	}
	s := w.Stats()
	res.Messages, res.Bytes, res.Size = s.Messages, s.Bytes, s.Size
	return res, nil
}

func (res *RewriteResult) copyAll(ctx context.Context, w *output, v *View, o RewriteOptions) error {
	if o.Start > MinTime {
		if err := copyStatic(w, v.bags, o); err != nil {
			return err
		}
	}
	var err error
	if res.Latched, err = copyLatched(ctx, w, v.bags, o); err != nil {
		return err
	}
	p := pace{ctx: ctx, progress: o.Progress, total: v.Count()}
	it := v.Iterator()
	defer it.Close()
	for advance(it, o.Damaged) {
		m := it.Message()
		if _, err := o.copy(w, m, m.Time); err != nil {
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
func copyStatic(w *output, bags []*Bag, o RewriteOptions) error {
	v, err := NewView(bags, Query{Start: MinTime, End: MinTime, Connections: o.keeps})
	if err != nil {
		return err
	}
	it := v.Iterator()
	defer it.Close()
	for advance(it, o.Damaged) {
		m := it.Message()
		if _, err := o.copy(w, m, m.Time); err != nil {
			return err
		}
	}
	return it.Err()
}

// copyLatched writes the latched messages from before the filter's start.
func copyLatched(ctx context.Context, w *output, bags []*Bag, o RewriteOptions) (uint64, error) {
	n := uint64(0)
	err := o.eachLatched(ctx, bags, func(m Message) error {
		copied, err := o.copy(w, m, o.Start)
		if copied {
			n++
		}
		return err
	})
	return n, err
}

// eachLatched calls do with the messages that Latched asks for, with their own times.
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
