package bagstore

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"rsros/bagstore/internal/bagrecord"
)

// Run is one connection's part of a block's index, ordered by time and Ref, in the form of a bag
// file: seeking in a large block decodes only a few entries.
type Run struct {
	Conn *Connection
	Raw  []byte

	by Time // see Recording.Shifted
}

// EntrySize is the size of an entry in a Run. A wire constant of rosbag.
const EntrySize = 12

func (r Run) len() int         { return len(r.Raw) / EntrySize }
func (r Run) time(i int) Time  { return r.stored(i).shifted(r.by) }
func (r Run) ref(i int) uint32 { return binary.LittleEndian.Uint32(r.Raw[EntrySize*i+8:]) }

// stored returns a time as it is in the file.
func (r Run) stored(i int) Time { return Time(bagrecord.ReadTime(r.Raw[EntrySize*i:])) }

func (r Run) search(t Time) int {
	return sort.Search(r.len(), func(i int) bool { return r.time(i) >= t })
}

// Valid checks that all Refs are offsets in a block of size bytes, and sorts unsorted entries.
func (r Run) Valid(size int64) error {
	inOrder := true
	last, lastOffset := Time(0), uint32(0)
	for i := range r.len() {
		t, offset := r.time(i), r.ref(i)
		if int64(offset) >= size {
			return fmt.Errorf("index names offset %d in a chunk of %d bytes", offset, size)
		}
		inOrder = inOrder && (t > last || t == last && offset >= lastOffset)
		last, lastOffset = t, offset
	}
	if !inOrder {
		r.sort()
	}
	return nil
}

func (r Run) sort() {
	entries := make([]Entry, r.len())
	for i := range entries {
		entries[i] = Entry{Time: r.time(i), Ref: r.ref(i)}
	}
	slices.SortFunc(entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.Ref, y.Ref))
	})
	r.Raw = r.Raw[:0]
	for _, e := range entries {
		r.Raw = AppendEntry(r.Raw, e)
	}
}

// AppendEntry appends an entry in the form of a Run.
func AppendEntry(b []byte, e Entry) []byte {
	b = binary.LittleEndian.AppendUint32(b, e.Time.Sec())
	b = binary.LittleEndian.AppendUint32(b, e.Time.Nsec())
	return binary.LittleEndian.AppendUint32(b, e.Ref)
}

// Runs sorts entries and returns them as runs of the connections, without those of others.
func Runs(entries []Entry, conns map[uint32]*Connection) []Run {
	slices.SortFunc(entries, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Conn, y.Conn), cmp.Compare(x.Time, y.Time), cmp.Compare(x.Ref, y.Ref))
	})
	var list []Run
	for len(entries) > 0 {
		id := entries[0].Conn
		n := sort.Search(len(entries), func(i int) bool { return entries[i].Conn > id })
		if conn := conns[id]; conn != nil {
			one := Run{Conn: conn, Raw: make([]byte, 0, n*EntrySize)}
			for _, e := range entries[:n] {
				one.Raw = AppendEntry(one.Raw, e)
			}
			list = append(list, one)
		}
		entries = entries[n:]
	}
	return list
}
