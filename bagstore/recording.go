package bagstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"rsros/bagstore/place"
)

// OpenOptions are the options of opening a recording.
type OpenOptions struct {
	// Context ends opening, which may scan the whole file, and all reading from an address. Default: context.Background().
	Context context.Context
	// Scan ignores the index and reads every chunk.
	Scan bool
	// Sequential hints that most of the recording will be read sequentially. A large bag is then read ahead,
	// past the page cache, where the system supports that. This takes up to 32 MiB.
	Sequential bool
	// Verify compares the index of an MCAP file with what it describes, also at an address, where that takes a request for
	// each chunk. Otherwise, what contradicts the index is an error when it is read.
	Verify bool
	// Progress reports how much of a .db3 file at an address is fetched, which is fetched whole.
	Progress Progress
}

// Info describes the file of a Source.
type Info struct {
	Path      string
	Version   string // of the format, such as "2.0" for a bag, or "MCAP"
	Size      int64  // of the file or files
	Notes     []Note // what was unusual
	Unindexed bool   // there is no complete index
	Clamps    bool   // times that a bag can't hold are replaced, see [Message.TimeClamped]
	ReadAhead bool   // the file is read ahead in blocks, whose memory is scarce
	Costly    bool   // each Layout takes a request
}

// ClampedTimes describes times of which [Message.TimeClamped] tells.
const ClampedTimes = "times before 1970 or after 2106, replaced by the nearest that a bag can hold"

// Recording is an open recording of any format. It is safe for concurrent use.
type Recording struct {
	source  Source
	info    Info
	conns   []*Connection
	byID    map[uint32]*Connection
	blocks  []Block // in file order
	indexes indexCache
	by      Time // see Shifted
	set     *Set // of itself
}

// NewRecording returns a Recording that reads s. Closing it closes s.
func NewRecording(s Source) *Recording {
	r := &Recording{source: s, info: s.Info(), conns: s.Connections(),
		byID: make(map[uint32]*Connection), blocks: s.Blocks()}
	for _, c := range r.conns {
		r.byID[c.ID] = c
	}
	r.set = NewSet(r)
	return r
}

// Shifted returns the recording with its times moved by a positive time, but for those up to MinTime. It is for
// reading: what copies blocks takes the times in the file. It has the same Source, and only one of the two is closed.
func (r *Recording) Shifted(by Time) *Recording {
	s := NewRecording(r.source)
	s.by, s.blocks, s.conns, s.byID = by, r.Blocks(), r.conns, r.byID
	for i := range s.blocks {
		b := &s.blocks[i]
		b.Start, b.End = b.Start.shifted(by), b.End.shifted(by)
	}
	return s
}

// reader returns a reader that loads the messages of the connections that keep accepts; nil accepts all.
func (r *Recording) reader(keep func(uint32) bool) Reader {
	if m, ok := r.source.(Messages); ok {
		return &converter{m: m, r: r, keep: keep}
	}
	return r.source.(BlockSource).Reader()
}

// Source returns the argument of NewRecording.
func (r *Recording) Source() Source { return r.source }

// Close closes the file. Iterators must be closed before.
func (r *Recording) Close() error { return r.source.Close() }

// Path returns the name that the recording was opened with.
func (r *Recording) Path() string { return r.info.Path }

// Version returns "2.0" or "1.2" for a bag, or the version of another format.
func (r *Recording) Version() string { return r.info.Version }

// Size returns the length of the file when it was opened.
func (r *Recording) Size() int64 { return r.info.Size }

// Indexed reports whether the file has a complete index.
func (r *Recording) Indexed() bool { return !r.info.Unindexed }

// Notes returns what was unusual about the file.
func (r *Recording) Notes() []Note { return slices.Clone(r.info.Notes) }

// Found returns the losses that reading has found so far besides messages that it couldn't read: chunks
// whose checksum is wrong, and topics that a chunk describes in another way than the index.
func (r *Recording) Found() []Note { return r.source.Found() }

// Connections returns the connections in the order of their records.
func (r *Recording) Connections() []*Connection { return slices.Clone(r.conns) }

// Blocks returns the blocks in file order. The caller must not change Counts.
func (r *Recording) Blocks() []Block { return slices.Clone(r.blocks) }

// Start returns the time of the earliest message, 0 if there is none.
func (r *Recording) Start() Time {
	t := Time(0)
	for i := range r.blocks {
		if c := &r.blocks[i]; len(c.Counts) > 0 && (t == 0 || c.Start < t) {
			t = c.Start
		}
	}
	return t
}

// End returns the time of the latest message, 0 if there is none.
func (r *Recording) End() Time {
	t := Time(0)
	for i := range r.blocks {
		if c := &r.blocks[i]; len(c.Counts) > 0 {
			t = max(t, c.End)
		}
	}
	return t
}

// MessageCount returns the number of messages according to the blocks' descriptions.
func (r *Recording) MessageCount() uint64 {
	n := uint64(0)
	for i := range r.blocks {
		n += r.blocks[i].Messages()
	}
	return n
}

// Counts returns the number of messages of each connection according to the blocks' descriptions.
func (r *Recording) Counts() map[uint32]uint64 {
	n := make(map[uint32]uint64)
	for i := range r.blocks {
		for _, k := range r.blocks[i].Counts {
			n[k.ID] += uint64(k.Count)
		}
	}
	return n
}

// Layouts returns how the blocks are stored, in file order. Those of damaged blocks, of which the notes tell, have no
// Compression.
func (r *Recording) Layouts() ([]Layout, Notes, error) {
	var (
		readers sync.WaitGroup
		damage  [layoutReaders]Notes
		errs    [layoutReaders]error
	)
	list := make([]Layout, len(r.blocks))
	each := (len(list) + layoutReaders - 1) / layoutReaders
	for i := range errs {
		from := min(i*each, len(list))
		to := min(from+each, len(list))
		readers.Go(func() {
			in := r.reader(nil)
			for j := from; j < to && errs[i] == nil; j++ {
				list[j], errs[i] = layoutOf(in, j, &damage[i])
			}
		})
	}
	readers.Wait()
	var notes Notes
	for _, found := range damage {
		for _, n := range found {
			notes.Add(n)
		}
	}
	return list, notes, cmp.Or(errs[:]...)
}

// layoutOf reads a layout. Damage is a note and no error.
func layoutOf(in Reader, block int, damage *Notes) (Layout, error) {
	l, err := in.Layout(block)
	if bad, ok := errors.AsType[*FormatError](err); ok && !place.Ended(err) {
		damage.Addf(Loss, bad.Offset, bad.Kind, "%v", bad.Err)
		return Layout{}, nil
	}
	return l, err
}

// SomeLayouts is Layouts for a few blocks if Costly.
func (r *Recording) SomeLayouts() (list []Layout, damage Notes, err error) {
	const most = 4
	if !r.info.Costly || len(r.blocks) < most {
		return r.Layouts()
	}
	in := r.reader(nil)
	for i := range most {
		l, err := layoutOf(in, i*(len(r.blocks)-1)/(most-1), &damage)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, l)
	}
	return list, damage, nil
}

// Costly reports whether each layout takes a request to a server.
func (r *Recording) Costly() bool { return r.info.Costly }

// remote reports whether the file of the first block is at an address.
func (r *Recording) remote() bool {
	if len(r.blocks) == 0 {
		return false
	}
	in, _, _ := r.source.Extent(0)
	return in != nil
}
