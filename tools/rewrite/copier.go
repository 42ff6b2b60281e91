package rewrite

import (
	"context"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/rosbag"
)

// Part is a bag that was made: by Merge, or one of several by Split.
type Part struct {
	Path     string        `json:"path"`
	Start    bagstore.Time `json:"start"`
	End      bagstore.Time `json:"end"`
	Messages uint64        `json:"messages"` // of Split, without those that begin it
	Latched  uint64        `json:"-"`        // messages from before the start, moved to it
	Size     int64         `json:"size"`
	Clamped  int           `json:"moved,omitzero"` // messages with bagstore.ClampedTimes
	Whole    int           `json:"whole"`          // chunks that stayed as they were stored
}

// copier copies bags into one part or, at the limits, into several.
type copier struct {
	ctx     context.Context
	o       SplitOptions
	bags    []*bagstore.Recording // the input
	view    *bagstore.View
	name    func(part int) string
	out     *rosbag.Output // of the last part; nil before its first message and after its end
	parts   []Part
	past    bagstore.Time // the last part doesn't end before it, as messages up to then may be in it
	latched map[*bagstore.Connection]retained
	order   []*bagstore.Connection // of latched
}

type retained struct {
	m bagstore.Message
	b *bagstore.Buffer
}

func newCopier(ctx context.Context, bags []*bagstore.Recording, name func(part int) string, o SplitOptions) *copier {
	return &copier{ctx: ctx, o: o, bags: bags, view: bagstore.NewView(bags, o.Query()), name: name,
		latched: make(map[*bagstore.Connection]retained)}
}

func (c *copier) run() error {
	pace := bagstore.Pace{Ctx: c.ctx, Progress: c.o.Progress, Total: c.view.Count()}
	for p, err := range c.o.pieces(c.view, c.takes) {
		n := uint64(1)
		switch {
		case err != nil:
		case p.Whole != nil:
			n, err = p.Whole.Messages(), c.copyWhole(p.Whole)
		default:
			err = c.copy(p.Message)
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

func (c *copier) part() *Part { return &c.parts[len(c.parts)-1] }

func (c *copier) full(t bagstore.Time) bool {
	part := c.part()
	return c.o.Duration > 0 && t.Sub(part.Start) >= c.o.Duration ||
		t > c.past && c.large() ||
		c.o.Messages > 0 && part.Messages >= c.o.Messages
}

// large reports whether the part has the size to end at.
func (c *copier) large() bool { return c.o.Size > 0 && c.out.Reaches(c.o.Size) }

// takes reports whether all of a chunk goes into the part, and everything that is earlier than its end.
func (c *copier) takes(chunk *bagstore.WholeChunk) bool {
	if c.out == nil || c.full(chunk.Start) || c.large() || !c.out.Takes(chunk) {
		return false
	}
	part := c.part()
	if c.o.Duration > 0 && chunk.End.Sub(part.Start) >= c.o.Duration ||
		c.o.Messages > 0 && !chunk.Fits(c.o.Messages-part.Messages) {
		return false
	}
	latches := func(c *bagstore.Connection) bool { return c.Latching }
	return !c.o.RepeatLatched || !slices.ContainsFunc(chunk.Connections(), latches)
}

func (c *copier) copyWhole(chunk *bagstore.WholeChunk) error {
	part := c.part()
	c.past = max(c.past, chunk.End)
	part.End = max(part.End, chunk.End)
	part.Messages += chunk.Messages()
	return c.out.CopyWhole(chunk)
}

// begin starts a part. The first one has what is selected from before the start, later ones the static messages again
// and, with RepeatLatched, the latched ones.
func (c *copier) begin(t bagstore.Time) (err error) {
	path := c.name(len(c.parts))
	if c.out, err = rosbag.CreateOutput(c.ctx, path, c.o.Options.Options); err != nil {
		return err
	}
	c.out.Keep(c.view.Connections())
	c.parts = append(c.parts, Part{Path: path, Start: t})
	repeat := func(m bagstore.Message, at bagstore.Time) error {
		if at > bagstore.MinTime {
			c.latch(m)
		}
		copied, err := c.o.copy(c.out, m, at)
		if copied && at > bagstore.MinTime {
			c.part().Latched++
		}
		return err
	}
	if len(c.parts) == 1 {
		return c.o.Before(c.ctx, c.bags, repeat)
	}
	if t > bagstore.MinTime {
		if err := c.o.eachStatic(c.bags, repeat); err != nil {
			return err
		}
	}
	for _, conn := range c.order {
		if err := c.out.Copy(c.latched[conn].m, t); err != nil {
			return err
		}
	}
	return nil
}

// latch keeps the newest message of a latching connection, with RepeatLatched.
func (c *copier) latch(m bagstore.Message) {
	if !c.o.RepeatLatched || !m.Conn.Latching {
		return
	}
	if old, ok := c.latched[m.Conn]; ok {
		old.b.Release()
	} else {
		c.order = append(c.order, m.Conn)
	}
	c.latched[m.Conn] = retained{m, m.Retain()}
}

func (c *copier) copy(m bagstore.Message) error {
	if c.out != nil && c.full(m.Time) {
		if err := c.end(nil); err != nil {
			return err
		}
	}
	if c.out == nil {
		if err := c.begin(m.Time); err != nil {
			return err
		}
	}
	c.latch(m)
	part := c.part()
	part.End = max(part.End, m.Time)
	part.Messages++
	_, err := c.o.copy(c.out, m, m.Time)
	return err
}

// end completes the part that has begun, if any; an error, which may be err, leaves it out.
func (c *copier) end(err error) error {
	out := c.out
	if out == nil {
		return err
	}
	c.out = nil
	if err := out.Finish(err); err != nil {
		c.parts = c.parts[:len(c.parts)-1]
		return err
	}
	part := c.part()
	part.Size, part.Clamped, part.Whole = out.Size(), out.Clamped, out.Stats().Whole
	return nil
}

func (c *copier) release() {
	for _, h := range c.latched {
		h.b.Release()
	}
}
