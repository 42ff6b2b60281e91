package rosbag2

import (
	"cmp"
	"fmt"
	"math"

	"rsros/bagstore"
	"rsros/bagstore/formats/rosbag2/internal/sqlite"
)

// blockRows bounds the rows of a block.
const blockRows = 4096

// block is a range of rows of the messages table.
type block struct {
	info  bagstore.Block
	first int64 // entries count rows from here
	last  int64
}

// scanner builds the blocks from the rows in the order of the table.
type scanner struct {
	f       *File
	counts  map[uint32]uint32 // of the open block
	open    int               // rows in it; 0: none is open
	next    int64             // the least row that may follow
	end     bool              // the greatest possible row was seen
	strange int               // rows without a topic or a time
	damaged error
}

// scan lists all rows. Where SQLite can't follow the pages, they are found without it.
func (f *File) scan() error {
	err := f.scanRows()
	if err == nil || !unfollowed(err) {
		return err
	}
	if !f.rescueRows(err) {
		f.blocks = nil
		f.notes.Addf(bagstore.Loss, -1, "rows", "the messages can't be read: %v", err)
	}
	return nil
}

func (f *File) scanRows() error {
	if _, err := f.table("messages", "id", "topic_id", "timestamp", "data"); err != nil {
		return err
	}
	s := &scanner{f: f, counts: make(map[uint32]uint32), next: noRow}
	err := f.eachRow(noRow, math.MaxInt64, s.row)
	if err = cmp.Or(err, s.damaged); err != nil {
		return err
	}
	s.close()
	if s.strange > 0 {
		f.sayStrange(s.strange)
	}
	return nil
}

func (f *File) sayStrange(messages int) {
	f.notes.Addf(bagstore.Loss, -1, "rows", "%d messages have no topic or no time", messages)
}

// eachRow calls do for the rows from one to another, in their order.
func (f *File) eachRow(from, to int64, do func(row, topic, time int64, ok bool) (bool, error)) error {
	return f.db.Query("SELECT id, topic_id, timestamp FROM messages NOT INDEXED WHERE id BETWEEN ? AND ? ORDER BY id",
		func(r sqlite.Row) (bool, error) {
			return do(r.Int(0), r.Int(1), r.Int(2), r.IsInt(1) && r.IsInt(2))
		}, from, to)
}

func (s *scanner) row(row, topic, time int64, ok bool) (bool, error) {
	if row < s.next {
		// Pages that refer to each other in a circle list rows again and again.
		s.damaged = fmt.Errorf("%w: row %d follows row %d", sqlite.ErrCorrupt, row, s.next-1)
		return false, nil
	}
	s.end = row == math.MaxInt64
	s.next = row + 1
	index, known := uint32(0), false
	if ok {
		index, known = s.f.topicOf(topic)
	}
	if !known {
		s.strange++
		return !s.end, nil
	}
	// Rows are far apart only in files made by hand; the difference may overflow.
	if s.open == blockRows || s.open > 0 && uint64(row)-uint64(s.f.blocks[len(s.f.blocks)-1].first) > math.MaxUint32 {
		s.close()
	}
	s.add(row, index, timeOf(time))
	return !s.end, nil
}

// add adds a row to the open block, or to a new one if none is open.
func (s *scanner) add(row int64, topic uint32, t bagstore.Time) {
	f := s.f
	if s.open == 0 {
		f.blocks = append(f.blocks, block{first: row, info: bagstore.Block{
			ChunkInfo: bagstore.ChunkInfo{Pos: int64(len(f.blocks)) + 1, Start: t, End: t}, Compression: bagstore.None,
		}})
	}
	b := &f.blocks[len(f.blocks)-1]
	s.open++
	b.last = row
	b.info.Start, b.info.End = min(b.info.Start, t), max(b.info.End, t)
	s.counts[topic]++
}

// close ends the open block.
func (s *scanner) close() {
	if s.open == 0 {
		return
	}
	s.open = 0
	info := &s.f.blocks[len(s.f.blocks)-1].info
	for topic := range uint32(len(s.f.topics)) {
		if n := s.counts[topic]; n > 0 {
			info.Counts = append(info.Counts, bagstore.ConnCount{ID: topic, Count: n})
		}
	}
	clear(s.counts)
}

// Entries lists the messages of a block.
func (f *File) Entries(n int) ([]bagstore.Entry, error) {
	if f.rescued != nil {
		return f.rescued.entries(f, n)
	}
	b := &f.blocks[n]
	list := make([]bagstore.Entry, 0, min(b.info.Messages(), blockRows))
	next := b.first
	err := f.eachRow(b.first, b.last, func(row, topic, time int64, ok bool) (bool, error) {
		if row < next {
			return false, fmt.Errorf("%w: row %d follows row %d", sqlite.ErrCorrupt, row, next-1)
		}
		next = row + 1
		if index, known := f.byID[topic]; ok && known {
			list = append(list, bagstore.Entry{Time: timeOf(time), Conn: index, Ref: uint32(row - b.first)})
		}
		return row < b.last, nil
	})
	return list, err
}

// Read reads the data of a row, and decompresses it if it is compressed.
func (f *File) Read(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	data, err := f.zstd.read(alloc, func(alloc func(int) []byte) ([]byte, error) { return f.stored(n, e, alloc) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.place(n, e), err)
	}
	return data, nil
}

// Stored is Read for a message as the file has it, compressed or not.
func (f *File) Stored(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	data, err := f.stored(n, e, alloc)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.place(n, e), err)
	}
	return data, nil
}

func (f *File) row(n int, e bagstore.Entry) int64 { return f.blocks[n].first + int64(e.Ref) }

// place says where a message is.
func (f *File) place(n int, e bagstore.Entry) string {
	if f.rescued != nil {
		return fmt.Sprintf("page %d", f.rescued.blocks[n][e.Ref>>16])
	}
	return fmt.Sprintf("row %d", f.row(n, e))
}

func (f *File) stored(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	if f.rescued != nil {
		return f.rescued.stored(n, e, alloc)
	}
	return f.db.Blob("messages", "data", f.row(n, e), alloc)
}
