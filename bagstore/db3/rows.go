package db3

import (
	"fmt"
	"math"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
)

// blockRows is the number of rows at which a block is full.
const blockRows = 4096

type block struct {
	info       bagstore.Block
	pages      []uint32 // their rows, in this order
	first, end int      // cells: from first of the first page on, before end of the last one
}

type found struct {
	cell             int
	row, topic, time int64
	size             int64 // of the data
	ok               bool  // it is a message
}

type builder struct {
	f       *File
	counts  map[uint32]uint32 // of the open block
	open    int               // messages in it and in those that it continues; 0: none is open
	left    int64             // bytes of the file without those of the messages so far: many rows may claim the same ones
	whole   int64             // blocks without those that continue others
	strange int               // rows without a topic, time or data
}

func (f *File) newBuilder() *builder {
	f.blocks = nil
	return &builder{f: f, counts: make(map[uint32]uint32), left: f.dbSize}
}

// scan lists the messages: those of the table's tree, or if it is damaged, those of every page. why is the error that
// made rescueTopics necessary, if any.
func (f *File) scan(objects []sqlite.Object, why error) error {
	var missing []sqlite.Range
	err := f.readForm(objects)
	if err == nil {
		missing, err = f.scanTree()
	}
	switch {
	case err == nil:
		return nil
	case why == nil && !unfollowed(err):
		return err
	case why == nil:
		why = err
	}
	if !f.rescueRows(objects, missing, why) {
		f.blocks = nil
		f.notes.Addf(bagstore.Loss, -1, "rows", "the messages can't be read: %v", why)
	}
	return nil
}

// scanTree lists the messages of the table's tree. Of rows that are missing between others, it returns some, with an
// error: pages that the tree doesn't lead to may have them.
func (f *File) scanTree() (missing []sqlite.Range, err error) {
	var rows []found
	var g gaps
	page := uint32(0)
	b, r := f.newBuilder(), f.pages.NewReader()
	err = f.pages.Rows(f.rows.table.Root, func(c *sqlite.Cell) error {
		g.row(c.Row)
		if c.Page != page {
			b.add(page, rows)
			page, rows = c.Page, rows[:0]
		}
		rows = append(rows, f.message(r, c, false))
		return nil
	})
	if err == nil && len(g.list) > 0 {
		err = fmt.Errorf("%w: the rows from %d to %d aren't in the tree", sqlite.ErrDamaged, g.list[0].After+1, g.list[0].To)
	}
	if err != nil {
		return g.list, err
	}
	b.add(page, rows)
	b.close()
	return nil, nil
}

// add adds the rows of a page to the open block, or to a new one if it has enough.
func (b *builder) add(page uint32, rows []found) {
	if b.open >= blockRows {
		b.closeBlock()
		b.open = 0
	}
	for _, r := range rows {
		topic, known := uint32(0), false
		if r.ok {
			topic, known = b.f.byID[r.topic]
		}
		if !known {
			b.strange++
			continue
		}
		b.count(page, r, topic)
	}
}

// count adds a message of a page to the open block, or to a new one if none is open or it is large enough.
func (b *builder) count(page uint32, r found, topic uint32) {
	t := timeOf(r.time)
	last := len(b.f.blocks) - 1
	if b.open == 0 || b.f.blocks[last].info.Size >= bagstore.PartBytes {
		b.closeBlock()
		if b.open == 0 {
			b.whole++
		}
		last++
		b.f.blocks = append(b.f.blocks, block{first: r.cell, info: bagstore.Block{
			ChunkInfo: bagstore.ChunkInfo{Pos: b.whole, Start: t, End: t}, Compression: bagstore.None, Continued: b.open > 0,
		}})
	}
	to := &b.f.blocks[last]
	if n := len(to.pages); n == 0 || to.pages[n-1] != page {
		to.pages = append(to.pages, page)
	}
	to.end = r.cell + 1
	size := min(r.size, b.left)
	b.left -= size
	to.info.Size += size
	to.info.Start, to.info.End = min(to.info.Start, t), max(to.info.End, t)
	b.open++
	b.counts[topic]++
}

// closeBlock ends the open block.
func (b *builder) closeBlock() {
	if b.open == 0 {
		return
	}
	info := &b.f.blocks[len(b.f.blocks)-1].info
	info.Counts = bagstore.SortedCounts(b.counts)
	clear(b.counts)
}

// close ends the last block, and notes the rows that are no messages.
func (b *builder) close() {
	b.closeBlock()
	if b.strange > 0 {
		b.f.notes.Addf(bagstore.Loss, -1, "rows", "%d messages have no topic with a name, or no time or no data", b.strange)
	}
}

type reader struct {
	leaf, chain *sqlite.Reader
	cell        sqlite.Cell
}

func (f *File) reader() *reader {
	if r, ok := f.readers.Get().(*reader); ok {
		return r
	}
	return &reader{leaf: f.pages.NewPageReader(), chain: f.pages.NewReader()}
}

// pageRows lists the rows of a page in the order of its cells. In a page outside the table's tree, rows that are no
// messages are other tables'.
func (f *File) pageRows(r *reader, number uint32, list []found) ([]found, error) {
	page, err := r.leaf.Page(number)
	if err != nil {
		return list, err
	}
	loose := f.loose.Has(number)
	f.pages.EachRow(page, number, func(c *sqlite.Cell) bool {
		if m := f.message(r.chain, c, loose); m.ok || !loose {
			list = append(list, m)
		}
		return true
	})
	return list, nil
}

// Unpack returns nothing: a block isn't compressed as a whole.
func (f *File) Unpack(int) (*bagstore.Buffer, error) { return nil, nil }

func (f *File) Entries(_ *bagstore.Buffer, n int) (list []bagstore.Entry, err error) {
	r := &reader{leaf: f.pages.NewPageReader(), chain: f.pages.NewReader()}
	var rows []found
	b := &f.blocks[n]
	list = make([]bagstore.Entry, 0, b.info.Messages())
	for i, page := range b.pages {
		if rows, err = f.pageRows(r, page, rows[:0]); err != nil {
			return list, err
		}
		drop := f.dropped[page]
		for _, m := range rows {
			if i == 0 && m.cell < b.first || i == len(b.pages)-1 && m.cell >= b.end || m.cell < len(drop) && drop[m.cell] {
				continue
			}
			if topic, known := f.byID[m.topic]; known && m.ok {
				list = append(list, bagstore.Entry{Time: timeOf(m.time), Conn: topic, Ref: uint32(i)<<16 | uint32(m.cell)})
			}
		}
	}
	return list, nil
}

// Read reads the data of a row, and decompresses it if it is compressed.
func (f *File) Read(_ *bagstore.Buffer, n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	data, err := f.zstd.read(alloc, func(alloc func(int) []byte) ([]byte, error) { return f.stored(n, e, alloc) })
	return data, f.at(n, e, err)
}

// Stored is Read without decompression.
func (f *File) Stored(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	data, err := f.stored(n, e, alloc)
	return data, f.at(n, e, err)
}

func (f *File) at(n int, e bagstore.Entry, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("page %d: %w", f.blocks[n].pages[e.Ref>>16], err)
}

func (f *File) stored(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	r := f.reader()
	defer f.readers.Put(r)
	number := f.blocks[n].pages[e.Ref>>16]
	page, err := r.leaf.Page(number)
	if err != nil {
		return nil, err
	}
	if !f.pages.Row(page, number, int(e.Ref&math.MaxUint16), &r.cell) {
		return nil, fmt.Errorf("%w: the page changed", sqlite.ErrDamaged)
	}
	f.rows.table.Complete(&r.cell)
	return r.chain.Value(&r.cell, f.rows.data, alloc)
}
