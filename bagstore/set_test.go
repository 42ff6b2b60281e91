package bagstore

import (
	"slices"
	"testing"
)

// longRecording has blocks of several topics, and a topic whose only message is in the first one.
func longRecording(blocks int) (r *Recording, rare *Connection) {
	c := &longContent{}
	for i := range 11 {
		c.conns = append(c.conns, &Connection{ID: uint32(i), Topic: "t"})
	}
	for i := range blocks {
		b := Block{ChunkInfo: ChunkInfo{Pos: int64(i + 1), Start: Time(i+1) * 1e7, End: Time(i+2) * 1e7}, Compression: None}
		for k := range 10 {
			b.Counts = append(b.Counts, ConnCount{uint32(k), uint32(i+k) % 20})
		}
		if i == 0 {
			b.Counts = append(b.Counts, ConnCount{10, 1})
		}
		c.list = append(c.list, b)
	}
	return NewRecording(c), c.conns[10]
}

type longContent struct {
	memoryContent
	list []Block
}

func (c *longContent) Blocks() []Block { return c.list }

// TestViewSortsOnce checks that views of a recording have the order of its blocks in common, and that a view of a rare
// topic holds only the topic's blocks.
func TestViewSortsOnce(t *testing.T) {
	r, rare := longRecording(1000)
	all, part := r.View(Query{}), r.View(Query{Start: 2e7, End: 5e9})
	if all.blockOrder != part.blockOrder || len(all.refs) != 1000 {
		t.Errorf("the views have orders of %d and %d blocks", len(all.refs), len(part.refs))
	}
	if part.forward != 500 || part.backward != 1000 {
		t.Errorf("%d blocks forward, %d backward", part.forward, part.backward)
	}
	q := Query{Connections: func(c *Connection) bool { return c == rare }}
	if v := r.View(q); len(v.refs) != 1 || !slices.Equal(v.byEnd, []int32{0}) || v.forward+v.backward != 2 {
		t.Errorf("blocks of a topic in the first one: %v, backward %v", v.refs, v.byEnd)
	}
}

// BenchmarkView makes views of a recording that has been open for some time.
func BenchmarkView(b *testing.B) {
	r, rare := longRecording(100_000)
	for name, want := range map[string]func(*Connection) bool{
		"all":    nil,
		"common": func(c *Connection) bool { return c.ID == 0 },
		"rare":   func(c *Connection) bool { return c == rare },
	} {
		b.Run(name, func(b *testing.B) {
			q := Query{Connections: want, End: 5e11}
			r.View(q)
			for b.Loop() {
				r.View(q)
			}
		})
	}
}
