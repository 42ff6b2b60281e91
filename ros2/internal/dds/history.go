package dds

import (
	"slices"
	"sync"

	"rsros/msgs"
	"rsros/program/buffers"
)

// change is a sample in a writer's history. Its parts don't change.
type change struct {
	refs   buffers.Refs
	number int64
	time   int64  // of the source, in ns since 1970
	inline []byte // parameters with their sentinel
	key    string // replaces an earlier change with the same one, unless it is empty
	keep   bool   // for readers that come later
	small  []byte // copies of head and tail
	cut    int    // where the tail starts in small
	body   []byte
	owner  buffers.Releaser // of body
	home   *sync.Pool
}

// newChange takes over a message: copies of head and tail, with the body itself in between, unless copied is set.
func newChange(home *sync.Pool, m *msgs.Raw, copied bool) *change {
	c, _ := home.Get().(*change)
	if c == nil {
		c = new(change)
	}
	c.refs.Init()
	c.home = home
	c.small = append(c.small[:0], m.Head...)
	if copied {
		c.small = append(c.small, m.Body...)
		if m.Owner != nil {
			m.Owner.Release()
		}
	} else {
		c.body, c.owner = m.Body, m.Owner
	}
	c.cut = len(c.small)
	c.small = append(c.small, m.Tail...)
	return c
}

func (c *change) size() int { return len(c.small) + len(c.body) }

// release drops a reference. The last one releases the body's owner.
func (c *change) release() {
	if !c.refs.Release() {
		return
	}
	if c.owner != nil {
		c.owner.Release()
	}
	home, small := c.home, c.small
	if cap(small) > 64<<10 {
		small = nil
	}
	*c = change{small: small[:0]}
	home.Put(c)
}

// parts appends the pieces that hold n bytes from an offset on.
func (c *change) parts(vec [][]byte, from, n int) [][]byte {
	for _, piece := range [...][]byte{c.small[:c.cut], c.body, c.small[c.cut:]} {
		if from < len(piece) && n > 0 {
			take := min(len(piece)-from, n)
			vec = append(vec, piece[from:from+take])
			n -= take
			from = len(piece)
		}
		from -= len(piece)
	}
	return vec
}

// history holds the changes of a writer, oldest first.
type history struct {
	list  []*change
	last  int64 // number of the newest change that there was
	bytes int64
}

// first returns the number of the oldest change, last+1 if there is none.
func (h *history) first() int64 {
	if len(h.list) == 0 {
		return h.last + 1
	}
	return h.list[0].number
}

// at returns the index of the oldest change whose number is at least n.
func (h *history) at(n int64) int {
	i, _ := slices.BinarySearchFunc(h.list, n, func(c *change, n int64) int { return int(min(max(c.number-n, -1), 1)) })
	return i
}

// get returns the change with a number, or nil.
func (h *history) get(n int64) *change {
	if i := h.at(n); i < len(h.list) && h.list[i].number == n {
		return h.list[i]
	}
	return nil
}

func (h *history) add(c *change) {
	h.last++
	c.number = h.last
	h.list = append(h.list, c)
	h.bytes += int64(c.size())
}

func (h *history) remove(i int) {
	c := h.list[i]
	h.bytes -= int64(c.size())
	h.list = slices.Delete(h.list, i, i+1)
	c.release()
}
