package bagstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rsros/bagstore/place"
)

// memoryContent is a content of two topics whose messages are made as they are read.
type memoryContent struct {
	conns  []*Connection
	blocks [][]memoryMessage
	packed bool
	// before is called before a message is read; it may be nil.
	before func(block int, m memoryMessage)
	alive  atomic.Int64 // reads in progress
}

type memoryMessage struct {
	Entry
	size int
	bad  bool
}

var errBadMessage = errors.New("bad message")

func (c *memoryContent) Connections() []*Connection { return c.conns }
func (c *memoryContent) Close() error               { return nil }

func (c *memoryContent) Blocks() (list []Block) {
	for i, messages := range c.blocks {
		b := Block{ChunkInfo: ChunkInfo{Pos: int64(i + 1), Start: MaxTime}, Compression: None}
		if c.packed {
			b.Compression, b.Size = LZ4, 1<<20
		}
		counts := make([]uint32, len(c.conns))
		for _, m := range messages {
			b.Start, b.End = min(b.Start, m.Time), max(b.End, m.Time)
			counts[m.Conn]++
		}
		for id, n := range counts {
			b.Counts = append(b.Counts, ConnCount{ID: uint32(id), Count: n})
		}
		list = append(list, b)
	}
	return list
}

func (c *memoryContent) Info() Info                                 { return Info{Path: "memory"} }
func (c *memoryContent) Reader() Reader                             { return c }
func (c *memoryContent) Found() []Note                              { return nil }
func (c *memoryContent) Extent(int) (in place.File, from, to int64) { return nil, 0, 0 }

func (c *memoryContent) Layout(block int) (Layout, error) {
	b := c.Blocks()[block]
	return Layout{Compression: b.Compression, Access: Converted, Size: b.Size}, nil
}

func (c *memoryContent) Index(block int, x *Index, _ func(uint32) bool) ([]Run, error) {
	var list []Entry
	for _, m := range c.blocks[block] {
		list = append(list, m.Entry)
	}
	x.Layout, _ = c.Layout(block)
	return Runs(list, map[uint32]*Connection{0: c.conns[0], 1: c.conns[1]}), nil
}

func (c *memoryContent) Read(p *Position, to *Stored, before func(n int)) error {
	c.alive.Add(1)
	defer c.alive.Add(-1)
	m := c.blocks[p.Block][p.Ref]
	if c.before != nil {
		c.before(p.Block, m)
	}
	if m.bad {
		return errBadMessage
	}
	if before != nil {
		before(m.size)
	}
	b := NewBuffer(m.size)
	copy(b.Bytes(), bytes.Repeat([]byte{byte(m.Time)}, m.size))
	*to = Stored{Data: b.Bytes(), Buffer: b}
	return nil
}

// newMemoryContent returns n messages per block, 10 ms apart, with sizes from size. Every other block
// overlaps the previous one.
func newMemoryContent(blocks, n int, size func(i int) int) *memoryContent {
	c := &memoryContent{conns: []*Connection{{ID: 0, Topic: "/a"}, {ID: 1, Topic: "/b"}}}
	for b := range blocks {
		var list []memoryMessage
		for k := range n {
			i := b*n + k
			at := i
			if b%2 == 1 {
				at -= n / 2
			}
			list = append(list, memoryMessage{Entry: Entry{Time: Time(at+1) * Time(10*time.Millisecond), Conn: uint32(i % 2), Ref: uint32(k)}, size: size(i), bad: i%23 == 22})
		}
		c.blocks = append(c.blocks, list)
	}
	return c
}

func (c *memoryContent) view(t *testing.T, q Query) *View {
	t.Helper()
	return NewRecording(c).View(q)
}

// visited describes an iterator's current message.
func visited(it *Iterator, ok bool) string {
	if !ok {
		return fmt.Sprint("no message: ", it.Err())
	}
	m := it.Message()
	if bytes.Count(m.Data, []byte{byte(m.Time)}) != len(m.Data) {
		return fmt.Sprintf("message at %d with bytes of another", m.Time)
	}
	return fmt.Sprintf("%s %d: %d bytes", m.Conn.Topic, m.Time, len(m.Data))
}

// TestContentAhead walks at random and compares the result with reading messages one at a time.
func TestContentAhead(t *testing.T) {
	for _, packed := range []bool{false, true} {
		for _, lead := range []time.Duration{0, time.Second} {
			t.Run(fmt.Sprintf("packed=%v/lead=%v", packed, lead), func(t *testing.T) {
				c := newMemoryContent(6, 100, func(i int) int { return 1 + i%7*i%11*500 })
				c.packed = packed
				v := c.view(t, Query{Lead: lead, End: Time(4 * time.Second)})
				ahead, plain := v.Iterator(), v.Iterator()
				defer ahead.Close()
				defer plain.Close()
				random := rand.New(rand.NewPCG(1, 2))
				for range 60 {
					steps, move := random.IntN(80), (*Iterator).Next
					switch random.IntN(4) {
					case 0:
						move = (*Iterator).Prev
					case 1:
						at := Time(random.IntN(6)) * nsPerSec
						ahead.Seek(at)
						plain.Seek(at)
					}
					for range steps {
						if random.IntN(20) == 0 {
							ahead.SkipNext()
							plain.SkipNext()
						}
						plain.content.reads = 0 // disables reading ahead
						want, got := visited(plain, move(plain)), visited(ahead, move(ahead))
						if got != want {
							t.Fatalf("%s with reading ahead, %s without", got, want)
						}
					}
				}
				if plain.content.run != nil {
					t.Error("the iterator to compare with read ahead")
				}
			})
		}
	}
}

// TestContentAheadTwice reads a damaged index that names a message twice.
func TestContentAheadTwice(t *testing.T) {
	const large = batchBytes + 1 // one a batch
	c := newMemoryContent(2, 100, func(int) int { return large })
	for _, list := range c.blocks {
		for i := range list {
			list[i].bad = false
			if i%5 == 1 {
				list[i].Entry = list[i-1].Entry
			}
		}
	}
	for _, lead := range []time.Duration{0, time.Second} {
		it := c.view(t, Query{Lead: lead}).Iterator()
		n := 0
		for it.Next() {
			if n++; len(it.Message().Data) != large {
				t.Fatal(visited(it, true))
			}
		}
		if it.Err() != nil || n != 200 {
			t.Errorf("lead %v: %d messages, %v", lead, n, it.Err())
		}
		it.Close()
	}
}

// TestContentAheadReads checks that goroutines other than the iterator's read messages.
func TestContentAheadReads(t *testing.T) {
	c := newMemoryContent(2, 100, func(int) int { return 1000 })
	var once sync.Once
	came := make(chan struct{})
	c.before = func(_ int, m memoryMessage) {
		if m.Time == Time(300*time.Millisecond) {
			once.Do(func() { close(came) })
		}
	}
	it := c.view(t, Query{}).Iterator()
	defer it.Close()
	for range aheadAfter + 1 {
		it.Next()
	}
	<-came // the iterator is at 30 ms
}

// TestContentAheadBounded checks the memory bound when messages grow suddenly.
func TestContentAheadBounded(t *testing.T) {
	c := newMemoryContent(1, 400, func(i int) int {
		switch {
		case i > 20 && i%30 == 0:
			return 20 << 20
		case i > 20:
			return 2 << 20
		}
		return 100
	})
	it := c.view(t, Query{}).Iterator()
	defer it.Close()
	for range 45 {
		it.Next()
		r := it.content.run
		if r == nil {
			continue
		}
		r.mu.Lock()
		waiting := int64(0)
		for _, b := range r.queue {
			select {
			case <-b.done:
				for _, m := range b.list[b.next:] {
					waiting += int64(len(m.Data))
				}
			default:
			}
		}
		accounted := r.bytes
		r.mu.Unlock()
		workers := int64(min(runtime.GOMAXPROCS(0), aheadWorkers))
		if most := aheadMost + workers*2*batchMost; waiting > accounted || waiting > most {
			t.Fatalf("%d bytes wait, %d are accounted for, the bound is %d", waiting, accounted, most)
		}
	}
}

// TestContentAheadStops closes the iterator, or reverses it, while a message is being read.
func TestContentAheadStops(t *testing.T) {
	for _, lead := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := newMemoryContent(2, 100, func(int) int { return 1000 })
			gate := make(chan struct{})
			c.before = func(_ int, m memoryMessage) {
				if m.Time >= Time(100*time.Millisecond) {
					<-gate
				}
			}
			it := c.view(t, Query{Lead: lead}).Iterator()
			for range aheadAfter + 1 {
				it.Next()
			}
			synctest.Wait()
			if c.alive.Load() == 0 {
				t.Fatal("nothing is read ahead")
			}
			it.Seek(0) // doesn't wait
			if !it.Next() || it.Message().Time != Time(10*time.Millisecond) {
				t.Errorf("after a seek: %s", visited(it, it.Err() == nil))
			}
			closed := false
			go func() {
				it.Close()
				closed = true
			}()
			synctest.Wait()
			if closed {
				t.Error("closed while a message is being read")
			}
			close(gate)
			synctest.Wait()
			if n := c.alive.Load(); n > 0 || !closed {
				t.Errorf("%d messages are being read after Close", n)
			}
		})
	}
}

// TestContentAheadStarves checks that, with a lead, the iterator itself reads a message that no worker
// has started.
func TestContentAheadStarves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newMemoryContent(2, 100, func(int) int { return 1000 })
		gate, held := make(chan struct{}), atomic.Int64{}
		c.before = func(_ int, m memoryMessage) {
			if m.Time == Time(100*time.Millisecond) && held.Add(1) == 1 {
				<-gate // the worker reads first
			}
		}
		it := c.view(t, Query{Lead: time.Second}).Iterator()
		defer it.Close()
		defer close(gate)
		for n := 1; n <= 20; n++ {
			if !it.Next() || it.Message().Time != Time(n)*Time(10*time.Millisecond) {
				t.Fatalf("message %d: %s", n, visited(it, it.Err() == nil))
			}
			synctest.Wait()
		}
		if held.Load() != 2 {
			t.Errorf("the message was read %d times", held.Load())
		}
	})
}
