package bagstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rsros/bagstore/internal/memory"
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

func (c *memoryContent) Connections() []*Connection                 { return c.conns }
func (c *memoryContent) Close() error                               { return nil }
func (c *memoryContent) Info() Info                                 { return Info{Path: "memory"} }
func (c *memoryContent) Found() []Note                              { return nil }
func (c *memoryContent) Extent(int) (in place.File, from, to int64) { return nil, 0, 0 }

func (c *memoryContent) Blocks() (list []Block) {
	for i, messages := range c.blocks {
		b := Block{ChunkInfo: ChunkInfo{Pos: int64(i + 1), Start: MaxTime}, Compression: None}
		if c.packed {
			b.Packed, b.Size = true, 1<<20
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

func (c *memoryContent) Unpack(int) (*Buffer, error) {
	if !c.packed {
		return nil, nil
	}
	return NewBuffer(1), nil
}

func (c *memoryContent) Entries(_ *Buffer, block int) (list []Entry, err error) {
	for _, m := range c.blocks[block] {
		list = append(list, m.Entry)
	}
	return list, nil
}

func (c *memoryContent) Read(in *Buffer, block int, e Entry, alloc func(n int) []byte) ([]byte, error) {
	c.alive.Add(1)
	defer c.alive.Add(-1)
	m := c.blocks[block][e.Ref]
	if c.before != nil {
		c.before(block, m)
	}
	if m.bad || c.packed && in == nil {
		return nil, errBadMessage
	}
	return append(alloc(m.size), bytes.Repeat([]byte{byte(m.Time)}, m.size)...), nil
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

// expected describes the message that an iterator has skipped, as visited does.
func (c *memoryContent) expected(it *Iterator, ok bool) string {
	if !ok {
		return fmt.Sprint("no message: ", it.Err())
	}
	m := c.blocks[it.reader.Block][it.reader.Ref]
	if m.bad {
		return fmt.Sprint("no message: ", it.reader.blockReader(0).(*converter).errorAt(it.reader.Block, "message", errBadMessage))
	}
	return fmt.Sprintf("%s %d: %d bytes", c.conns[m.Conn].Topic, m.Time, m.size)
}

// TestConverted walks at random and compares the result with the messages of the index.
func TestConverted(t *testing.T) {
	for _, packed := range []bool{false, true} {
		for _, lead := range []time.Duration{0, time.Second} {
			t.Run(fmt.Sprintf("packed=%v/lead=%v", packed, lead), func(t *testing.T) {
				c := newMemoryContent(6, 100, func(i int) int { return 1 + i%7*i%11*500 })
				c.packed = packed
				v := c.view(t, Query{Lead: lead, End: Time(4 * time.Second)})
				it, index := v.Iterator(), v.Iterator()
				defer it.Close()
				defer index.Close()
				random := rand.New(rand.NewPCG(1, 2))
				for range 60 {
					steps, move, skip := random.IntN(80), (*Iterator).Next, (*Iterator).SkipNext
					switch random.IntN(4) {
					case 0:
						move, skip = (*Iterator).Prev, (*Iterator).SkipPrev
					case 1:
						at := Time(random.IntN(6)) * nsPerSec
						it.Seek(at)
						index.Seek(at)
					}
					for range steps {
						if random.IntN(20) == 0 {
							it.SkipNext()
							index.SkipNext()
						}
						want, got := c.expected(index, skip(index)), visited(it, move(it))
						if got != want {
							t.Fatalf("%s, want %s", got, want)
						}
					}
				}
			})
		}
	}
}

// TestConvertedTwice reads a damaged index that names a message twice.
func TestConvertedTwice(t *testing.T) {
	const large = 256 << 10
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

// TestConvertedAhead checks that goroutines other than the iterator's convert messages.
func TestConvertedAhead(t *testing.T) {
	c := newMemoryContent(2, 100, func(int) int { return 1000 })
	came := make(chan struct{})
	last := Time(1500 * time.Millisecond)
	c.before = func(_ int, m memoryMessage) {
		if m.Time == last {
			close(came)
		}
	}
	it := c.view(t, Query{}).Iterator()
	defer it.Close()
	for range convertAfter + 1 {
		it.Next()
	}
	<-came // the iterator is at 90 ms
}

// TestConvertedBounded checks the memory bound where messages are far larger than their blocks say.
func TestConvertedBounded(t *testing.T) {
	c := newMemoryContent(40, 10, func(i int) int {
		switch {
		case i > 40 && i%30 == 0:
			return 20 << 20
		case i > 40:
			return 2 << 20
		}
		return 100
	})
	for _, lead := range []time.Duration{0, time.Hour} {
		c.bounded(t, Query{Lead: lead})
	}
}

// TestConvertedBoundedLate is TestConvertedBounded for blocks that begin during the first two, and whose selected messages
// come later.
func TestConvertedBoundedLate(t *testing.T) {
	c := newMemoryContent(40, 40, func(i int) int {
		if i >= 2*40 {
			return 2 << 20
		}
		return 100
	})
	for b, list := range c.blocks {
		for i := range list {
			m := &list[i]
			switch m.Conn = 0; {
			case b < 2:
				m.Time = Time(2*i+b+1) * nsPerSec
			case i == 0:
				m.Conn, m.Time = 1, Time(2*b)*nsPerSec
			default:
				m.Time = Time(1000+40*b+i) * nsPerSec
			}
		}
	}
	c.bounded(t, Query{Connections: func(c *Connection) bool { return c.ID == 0 }})
}

// bounded reads the messages as on a machine with many cores, and checks how much is held meanwhile.
func (c *memoryContent) bounded(t *testing.T, q Query) {
	t.Helper()
	v := c.view(t, q)
	v.ahead, v.prefetchWait = 16, time.Hour
	it := v.Iterator()
	defer it.Close()
	for range 300 {
		it.Next()
		held := int64(0)
		for el := it.reader.cache.lru.Front(); el != nil; el = el.Next() {
			if k := el.Value.(*chunkContent); k.ready() {
				held += k.blk.Size()
			}
		}
		if most := int64(cacheBytes + convertedBytes + 2*batchMost); held > most {
			t.Fatalf("lead %v: %d bytes are held, the bound is %d", q.Lead, held, most)
		}
	}
}

// TestConvertedStops closes the iterator, or seeks, while a message is being read.
func TestConvertedStops(t *testing.T) {
	for _, lead := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := newMemoryContent(4, 20, func(int) int { return 1000 })
			gate := make(chan struct{})
			c.before = func(block int, _ memoryMessage) {
				if block > 0 {
					<-gate
				}
			}
			it := c.view(t, Query{Lead: lead}).Iterator()
			for range convertAfter + 1 {
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

// overlapping is blocks of one time, of which the cache holds one. It counts how often they are unpacked.
type overlapping struct {
	*memoryContent
	stored   int64 // bytes of a block in the file
	unpacked atomic.Int64
}

func (o *overlapping) Blocks() []Block {
	list := o.memoryContent.Blocks()
	for i := range list {
		if list[i].Stored = o.stored; list[i].Messages() > 1 {
			list[i].Size = cacheBytes + convertedBytes
		}
	}
	return list
}

func (o *overlapping) Unpack(block int) (*Buffer, error) {
	o.unpacked.Add(1)
	k, err := memory.NewContent(1, 1)
	if err == nil {
		err = k.Fill(bytes.NewReader([]byte{byte(block)}))
	}
	return ContentBuffer(k), err
}

func (o *overlapping) Read(in *Buffer, block int, e Entry, alloc func(n int) []byte) ([]byte, error) {
	var of [1]byte
	if _, err := in.Content().ReadAt(of[:], 0); err != nil || of[0] != byte(block) {
		return nil, fmt.Errorf("a message of block %d in block %d: %v", block, of, err)
	}
	return o.memoryContent.Read(in, block, e, alloc)
}

// TestFileOrder checks that in the order of the file all messages are visited, and each block is unpacked once, however the
// blocks overlap.
func TestFileOrder(t *testing.T) {
	const blocks, n = 6, 40
	c := newMemoryContent(blocks, n, func(int) int { return 10 })
	c.packed = true
	for b := range c.blocks {
		for i := range c.blocks[b] {
			m := &c.blocks[b][i]
			m.Time, m.bad = Time(n-i), b == 2 && i == 7
		}
	}
	o := &overlapping{memoryContent: c}
	seen, bad := 0, 0
	for m, err := range NewRecording(o).View(Query{FileOrder: true}).Messages() {
		if seen++; err != nil {
			bad++
		}
		if m.Time < 1 || m.Time > n {
			t.Fatalf("message at %d", m.Time)
		}
	}
	if seen != blocks*n || bad != 1 || o.unpacked.Load() != blocks {
		t.Errorf("%d messages, %d of them bad, %d blocks unpacked", seen, bad, o.unpacked.Load())
	}
}

// TestTimeOrder checks that in the order of time, too, a block is unpacked once while the iterator is in it, in whatever
// order its messages and those of others come. Without room for that it is refused, unless the file backs it.
func TestTimeOrder(t *testing.T) {
	const blocks, n = 6, 40
	for name, test := range map[string]struct {
		files, stored int64
		unpacked, bad int
	}{
		"room":   {filedBytes, 0, blocks, 0},
		"none":   {0, 0, blocks * unpackings, blocks * (n - unpackings)},
		"backed": {0, 1, blocks * n, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := newMemoryContent(blocks, n, func(int) int { return 10 })
			c.packed = true
			for b := range c.blocks {
				for i := range c.blocks[b] {
					m := &c.blocks[b][i]
					m.Time, m.bad = Time(i*blocks+b+1), false
				}
			}
			c.blocks = append(c.blocks, []memoryMessage{{Entry: Entry{Time: blocks*n + 1}, size: 10}}) // afterwards
			o := &overlapping{memoryContent: c, stored: test.stored}
			v := NewRecording(o).View(Query{})
			v.ReadAhead(0)
			it := v.Iterator()
			it.BoundFiles(test.files)
			bad := 0
			for i := range blocks * n {
				if it.Next() {
					continue
				}
				if bad++; it.Message().Time != Time(i+1) || !strings.Contains(fmt.Sprint(it.Err()), fmt.Sprintf("memory: chunk at byte %d: it overlaps in time with others", i%blocks+1)) {
					t.Fatalf("%d: %v", it.Message().Time, it.Err())
				}
			}
			if !it.Next() || it.reader.cache.filed != 0 {
				t.Errorf("%v; %d bytes are in files after all blocks that overlap", it.Err(), it.reader.cache.filed)
			}
			it.Close()
			if got := int(o.unpacked.Load()) - 1; got != test.unpacked || bad != test.bad {
				t.Errorf("unpacked %d times, %d messages refused", got, bad)
			}
		})
	}
}
