// Package rewrite copies messages into new bags without decoding them: with another compression, with fewer messages,
// from several bags, or into several parts. Chunks whose messages are all copied stay as they are stored, unless their
// compression or size changes. A new bag gets its name when it is complete.
package rewrite

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
)

// Options are the options of Merge.
type Options struct {
	// Options of the new bag. Checkpoints are left out. With a ChunkSize, no chunk stays as it is.
	bagstore.Options
	bagstore.Filter
	// Keep, if not nil, is called for each selected message of the connections that Judges accepts, or of
	// all if that is nil. An error stops the copying.
	Keep   func(bagstore.Message) (bool, error)
	Judges func(*bagstore.Connection) bool
	// Damaged, if not nil, is called for each unreadable message, which is skipped. Otherwise the
	// first one stops the copying.
	Damaged  func(error)
	Progress bagstore.Progress // in messages
}

// pieces is View.Pieces without unreadable messages if Damaged isn't nil, which it calls for them. No
// chunk is whole if messages have to be looked at one by one, or put into chunks of another size.
func (o Options) pieces(v *bagstore.View, takes func(*bagstore.WholeChunk) bool) iter.Seq2[bagstore.Piece, error] {
	if o.Keep != nil && o.Judges == nil || o.ChunkSize != 0 {
		takes = nil
	}
	if all := takes; all != nil && o.Keep != nil {
		takes = func(c *bagstore.WholeChunk) bool { return all(c) && !slices.ContainsFunc(c.Connections(), o.Judges) }
	}
	return func(yield func(bagstore.Piece, error) bool) {
		for p, err := range v.Pieces(cmp.Or(o.Compression, bagstore.None), takes) {
			if err != nil && o.Damaged != nil {
				o.Damaged(err)
			} else if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

func (o Options) copy(w *rosbag.Output, m bagstore.Message, t bagstore.Time) (copied bool, err error) {
	if o.Keep != nil && (o.Judges == nil || o.Judges(m.Conn)) {
		if keep, err := o.Keep(m); err != nil || !keep {
			return false, err
		}
	}
	return true, w.Copy(m, t)
}

// Merge copies bags into one, in time order. Equal connections become one.
func Merge(ctx context.Context, bags []*bagstore.Recording, out string, o Options) (*Part, error) {
	c := newCopier(ctx, bags, func(int) string { return out }, SplitOptions{Options: o})
	err := c.begin(o.Start)
	if err == nil {
		err = c.run()
	}
	made := c.out
	if err = c.end(err); err != nil {
		return nil, err
	}
	c.part().Messages = made.Stats().Messages
	return c.part(), nil
}

// Before calls do with the messages from before Start that are selected, and their times in the output: those at
// MinTime, without which no part of a RealSense recording plays, and latched ones.
func (o Options) Before(ctx context.Context, bags []*bagstore.Recording,
	do func(bagstore.Message, bagstore.Time) error) error {
	if o.Start > bagstore.MinTime {
		if err := o.eachStatic(bags, do); err != nil {
			return err
		}
	}
	if !o.Latched || o.Start == 0 {
		return nil
	}
	keeps := o.Query().Connections
	v := bagstore.NewView(bags, bagstore.Query{Start: bagstore.MinTime + 1, End: o.Start - 1,
		Connections: func(c *bagstore.Connection) bool { return c.Latching && keeps(c) }})
	damaged := func(err error) error { return err }
	if o.Damaged != nil {
		damaged = func(err error) error { o.Damaged(err); return nil }
	}
	return bagstore.LastOfEach(ctx, v, o.Start, damaged, func(m bagstore.Message) error { return do(m, o.Start) })
}

func (o Options) eachStatic(bags []*bagstore.Recording, do func(bagstore.Message, bagstore.Time) error) error {
	v := bagstore.NewView(bags,
		bagstore.Query{Start: bagstore.MinTime, End: bagstore.MinTime, Connections: o.Query().Connections})
	for p, err := range o.pieces(v, nil) {
		if err == nil {
			err = do(p.Message, p.Time)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
