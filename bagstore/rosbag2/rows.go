package rosbag2

import (
	"errors"
	"fmt"
	"math"

	"rsros/bagstore"
	"rsros/bagstore/internal/sqlite"
)

// Limits of a scan.
const (
	blockRows = 4096
	maxGaps   = 1000 // damaged places after which a scan gives up
)

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

// scan lists all rows, passing over what is damaged.
func (f *File) scan() error {
	if _, err := f.table("messages", "id", "topic_id", "timestamp", "data"); err != nil {
		return err
	}
	s := &scanner{f: f, counts: make(map[uint32]uint32), next: noRow}
	for gaps := 0; !s.end; gaps++ {
		err := f.eachRow(s.next, math.MaxInt64, s.row)
		if err == nil {
			err = s.damaged
		}
		if err == nil {
			break
		}
		if !errors.Is(err, sqlite.ErrCorrupt) {
			return err
		}
		if gaps == maxGaps {
			f.notes.Addf(bagstore.Loss, -1, "rows", "the messages table is damaged in more than %d places; what follows row %d is left out", maxGaps, s.next-1)
			break
		}
		if !s.resume(err) {
			break
		}
	}
	s.close()
	if s.strange > 0 {
		f.notes.Addf(bagstore.Loss, -1, "rows", "%d messages have no topic or no time", s.strange)
	}
	return nil
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
	s.damaged = nil
	s.end = row == math.MaxInt64
	s.next = row + 1
	index, known := s.f.byID[topic]
	if !ok || !known {
		s.strange++
		return !s.end, nil
	}
	s.add(row, index, timeOf(time))
	return !s.end, nil
}

func (s *scanner) add(row int64, topic uint32, t bagstore.Time) {
	f := s.f
	// Rows are far apart only in files made by hand; the difference may overflow.
	if s.open == blockRows || s.open > 0 && uint64(row)-uint64(f.blocks[len(f.blocks)-1].first) > math.MaxUint32 {
		s.close()
	}
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

// resume finds the first row after damage that SQLite can reach, by ever larger steps
// and then by halves.
func (s *scanner) resume(why error) bool {
	f, from := s.f, s.next
	s.damaged = nil
	s.close() // what lists a block must not come across the damage
	if from == noRow {
		from = 0 // rosbag2 counts from 1
	}
	bad, good := from, from
	for step := int64(1); ; step *= 2 {
		if step <= 0 || good > math.MaxInt64-step {
			f.notes.Addf(bagstore.Loss, -1, "rows", "the messages from row %d on can't be read: %v", from, why)
			return false
		}
		good = from + step
		if f.reachable(good) {
			break
		}
		bad = good
	}
	for good-bad > 1 {
		if middle := bad + (good-bad)/2; f.reachable(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	f.notes.Addf(bagstore.Loss, -1, "rows", "the messages from row %d to %d can't be read: %v", from, good-1, why)
	s.next = good
	return true
}

// reachable reports whether SQLite can go to a row or to the one after it.
func (f *File) reachable(row int64) bool {
	return f.eachRow(row, math.MaxInt64, func(found, _, _ int64, _ bool) (bool, error) {
		if found < row {
			return false, sqlite.ErrCorrupt
		}
		return false, nil
	}) == nil
}

// Entries lists the messages of a block.
func (f *File) Entries(n int) ([]bagstore.Entry, error) {
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
	if errors.Is(err, sqlite.ErrCorrupt) {
		err = nil // the scan has said so; what it found is listed
	}
	return list, err
}

// Read reads the data of a row, and decompresses it if it is compressed.
func (f *File) Read(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	data, err := f.zstd.read(alloc, func(alloc func(int) []byte) ([]byte, error) { return f.stored(n, e, alloc) })
	if err != nil {
		return nil, fmt.Errorf("row %d: %w", f.row(n, e), err)
	}
	return data, nil
}

// Stored is Read for a message as the file has it, compressed or not.
func (f *File) Stored(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	data, err := f.stored(n, e, alloc)
	if err != nil {
		return nil, fmt.Errorf("row %d: %w", f.row(n, e), err)
	}
	return data, nil
}

func (f *File) row(n int, e bagstore.Entry) int64 { return f.blocks[n].first + int64(e.Ref) }

func (f *File) stored(n int, e bagstore.Entry, alloc func(n int) []byte) ([]byte, error) {
	return f.db.Blob("messages", "data", f.row(n, e), alloc)
}
