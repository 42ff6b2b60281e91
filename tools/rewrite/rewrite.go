// Package rewrite copies messages into new bags without decoding them: with another compression,
// with fewer messages, from several bags, or into several parts. Chunks whose messages
// are all copied stay as they are stored, unless their compression or size changes. A new bag gets its
// name when it is complete.
package rewrite

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/place"
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

// Result counts what was copied.
type Result struct {
	Messages uint64 `json:"messages"`
	Latched  uint64 `json:"latched"` // of these, moved to the start
	Bytes    uint64 `json:"bytes"`   // of message data
	Size     int64  `json:"size"`    // of the new file
	Clamped  int    `json:"moved"`   // messages with bagstore.ClampedTimes
	Whole    int    `json:"whole"`   // chunks that stayed as they were stored
}

// Merge copies bags into one, in time order. Equal connections become one.
func Merge(ctx context.Context, bags []*bagstore.Recording, out string, o Options) (*Result, error) {
	if err := place.Free(ctx, out, o.Overwrite); err != nil {
		return nil, err
	}
	v := bagstore.NewView(bags, o.Query())
	w, err := rosbag.CreateOutput(ctx, out, o.Options)
	if err != nil {
		return nil, err
	}
	res := &Result{}
	err = res.copyAll(ctx, w, bags, v, o)
	if err := w.Finish(err); err != nil {
		return nil, err
	}
	s := w.Stats()
	res.Messages, res.Bytes, res.Size, res.Clamped, res.Whole = s.Messages, s.Bytes, s.Size, w.Clamped, s.Whole
	return res, nil
}

func (res *Result) copyAll(ctx context.Context, w *rosbag.Output, bags []*bagstore.Recording, v *bagstore.View, o Options) error {
	w.Keep(v.Connections())
	err := o.Before(ctx, bags, func(m bagstore.Message, t bagstore.Time) error {
		copied, err := o.copy(w, m, t)
		if copied && t > bagstore.MinTime {
			res.Latched++
		}
		return err
	})
	if err != nil {
		return err
	}
	pace := bagstore.Pace{Ctx: ctx, Progress: o.Progress, Total: v.Count()}
	for p, err := range o.pieces(v, w.Takes) {
		n := uint64(1)
		switch {
		case err != nil:
		case p.Whole != nil:
			n, err = p.Whole.Messages(), w.CopyWhole(p.Whole)
		default:
			_, err = o.copy(w, p.Message, p.Time)
		}
		if err == nil {
			err = pace.Steps(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Before calls do with the messages from before Start that are selected, and their times in the output: those at
// MinTime, without which no part of a RealSense recording plays, and latched ones.
func (o Options) Before(ctx context.Context, bags []*bagstore.Recording, do func(bagstore.Message, bagstore.Time) error) error {
	if o.Start > bagstore.MinTime {
		if err := o.eachStatic(bags, do); err != nil {
			return err
		}
	}
	return eachLatched(ctx, o.Filter, bags, func(m bagstore.Message) error { return do(m, o.Start) })
}

func (o Options) eachStatic(bags []*bagstore.Recording, do func(bagstore.Message, bagstore.Time) error) error {
	v := bagstore.NewView(bags, bagstore.Query{Start: bagstore.MinTime, End: bagstore.MinTime, Connections: o.Query().Connections})
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

// eachLatched calls do with the latched messages from before the filter's start, if Latched is set.
func eachLatched(ctx context.Context, f bagstore.Filter, bags []*bagstore.Recording, do func(bagstore.Message) error) error {
	if !f.Latched || f.Start == 0 {
		return nil
	}
	keeps := f.Query().Connections
	v := bagstore.NewView(bags, bagstore.Query{Start: bagstore.MinTime + 1, End: f.Start - 1,
		Connections: func(c *bagstore.Connection) bool { return c.Latching && keeps(c) }})
	return bagstore.LastOfEach(ctx, v, f.Start, do)
}
