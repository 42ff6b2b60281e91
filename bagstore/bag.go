package bagstore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/record"
)

// The version lines of the formats. Wire constants.
const (
	magic20 = "#ROSBAG V2.0\n"
	magic12 = "#ROSBAG V1.2\n"
	// fileHeaderSize is the length of the padded file header record without
	// its two length fields, so that the first chunk begins at byte 4117.
	fileHeaderSize = 4096
	firstChunk     = int64(len(magic20) + 8 + fileHeaderSize)
)

// OpenOptions says how a bag is opened. The zero value is good.
type OpenOptions struct {
	// Scan ignores the index and reads every chunk.
	Scan bool
	// Whole says that much of the bag will be read, from one end to the other. What of a
	// large file isn't in the page cache is then read past it, ahead, where the system
	// can; it takes up to 32 MiB of memory.
	Whole bool
	// indexOnly leaves scanning to the caller, from Bag.first on.
	indexOnly bool
}

// Bag is an open bag file. Its methods may be called by many goroutines.
type Bag struct {
	path    string
	file    *os.File    // nil for a bag over a reader of the caller's
	ahead   *disk.Ahead // that r reads with; nil: r is file
	onDisk  int64       // the file's length, size without the tail
	r       io.ReaderAt
	size    int64
	version string
	indexed bool
	first   int64   // where the first chunk is looked for
	chunks  []chunk // in file order
	conns   []*Connection
	byID    map[uint32]*Connection
	notes   Notes

	tailToken uint64  // of the tail file that the file header names, else 0
	content   Content // of another format; nil: the file is a bag
	tornAt    int64   // where the file's last, torn record or its padding begins; 0: nowhere

	topics12 map[string]uint32 // connection of each topic in a 1.2 bag
	indexes  indexCache
	pool     bufferPool // for messages, chunks and their compressed bytes
}

// chunk is a chunk of an open bag.
type chunk struct {
	ChunkInfo
	// head is set where the bag was scanned; otherwise it is read when needed.
	head ChunkHeader
	// walk: index records are missing, the content has to be walked.
	walk bool
	// torn: the chunk ends too early; what is whole in it counts.
	torn  bool
	block int // of the bag's content
}

// Open opens a bag for reading. Only its index section is read, or the whole
// file where that is missing.
func Open(path string, o OpenOptions) (*Bag, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s: is a directory", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	b := newBag(f, st.Size(), path)
	b.file = f
	if forceDirect || o.Whole && b.size >= disk.AheadLeast {
		if b.ahead = disk.OpenAhead(f, b.size, disk.AheadOptions{Always: forceDirect}); b.ahead != nil {
			b.r = b.ahead
		}
	}
	if err := b.open(o); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func newBag(r io.ReaderAt, size int64, name string) *Bag {
	return &Bag{path: name, r: r, size: size, onDisk: size, byID: make(map[uint32]*Connection)}
}

// OpenReader opens a bag over any random access reader, which stays the
// caller's. Errors contain the name.
func OpenReader(r io.ReaderAt, size int64, name string, o OpenOptions) (*Bag, error) {
	b := newBag(r, size, name)
	if err := b.open(o); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Bag) open(o OpenOptions) error {
	line := make([]byte, len(magic20))
	if err := record.ReadFull(b.r, line, 0); err != nil {
		return b.errorAt(0, "version line", fmt.Errorf("%w: %w", ErrNotBag, err))
	}
	switch {
	case string(line) == magic20:
		b.version = "2.0"
		return b.open20(o)
	case string(line) == magic12:
		b.version = "1.2"
		b.scan12()
		return nil
	case bytes.HasPrefix(line, []byte("#ROS")):
		return b.errorAt(0, "version line", fmt.Errorf("%w %q", ErrVersion, bytes.TrimSpace(line)))
	}
	return b.errorAt(0, "version line", ErrNotBag)
}

func (b *Bag) open20(o OpenOptions) error {
	w := record.NewWindow(b.r, b.size)
	end, err := b.readIndex(w, o)
	switch {
	case err != nil:
		return err
	case o.indexOnly && b.tailToken == 0:
		return nil
	case !b.indexed:
		b.scan(w, b.first)
	case end < b.size:
		b.scanTail(w, end)
	}
	b.sortChunks()
	b.takeTail()
	return nil
}

// readIndex reads the file header and, unless the whole file is to be scanned, the
// index section. It returns that section's end.
func (b *Bag) readIndex(w *record.Window, o OpenOptions) (end int64, err error) {
	var r record.Record
	b.first = firstChunk
	err = record.Read(w, int64(len(magic20)), b.size, &r)
	if err == nil && r.Op != record.OpFileHeader {
		err = fmt.Errorf("found a %s record", record.OpName(r.Op))
	}
	if err != nil {
		severity := Repairable
		if b.size <= firstChunk {
			severity = Loss // there is nothing else
		}
		b.notes.Addf(severity, int64(len(magic20)), "file header", "the file header is damaged (%v); the file was scanned", err)
		return 0, nil
	}
	if len(r.Encryptor) > 0 {
		return 0, b.errorAt(r.Pos, "file header", ErrEncrypted)
	}
	b.first, b.tailToken = b.afterHeader(w, &r), r.Tail
	if o.Scan {
		return 0, nil
	}
	if r.IndexPos == 0 {
		b.notes.Addf(Repairable, r.Pos, "file header", "the bag has no index (it was not closed); the file was scanned")
		return 0, nil
	}
	end, err = b.readIndexSection(w, int64(r.IndexPos), r.ConnCount, r.ChunkCount)
	if err != nil {
		b.chunks, b.conns, b.notes = nil, nil, nil
		clear(b.byID)
		b.notes.Addf(Repairable, int64(r.IndexPos), "index section", "the index section is damaged (%v); the file was scanned", err)
		return 0, nil
	}
	b.indexed = true
	b.sortChunks() // no chunk twice
	b.readImplausible(w)
	return end, nil
}

// afterHeader returns where the record after the file header begins. The length of the
// header's padding may be damaged; then it is where every writer puts the first chunk.
func (b *Bag) afterHeader(w *record.Window, header *record.Record) int64 {
	next := header.Next()
	if next == firstChunk || next == b.size {
		return next
	}
	var r record.Record
	pos, length := header.Pos, header.DataLen
	known := func(at int64) bool {
		err := record.Read(w, at, b.size, &r)
		return (err == nil || errors.Is(err, record.ErrData)) && (r.Op == record.OpChunk || r.Op == record.OpConnection || r.Op == record.OpChunkInfo)
	}
	if known(next) || !known(firstChunk) {
		return next
	}
	b.notes.Addf(Repairable, pos, "file header", "its padding of %d bytes doesn't end where the first chunk begins", length)
	return firstChunk
}

// readImplausible reads the chunks whose info can't be true: it counts nothing, or
// connections that don't exist, or ends before it starts. By it their messages would
// not be found.
func (b *Bag) readImplausible(w *record.Window) {
	for i := range b.chunks {
		c := &b.chunks[i]
		wrong := func(k ConnCount) bool { return k.Count == 0 || b.byID[k.ID] == nil }
		if len(c.Counts) > 0 && c.Start <= c.End && !slices.ContainsFunc(c.Counts, wrong) {
			continue
		}
		l := chunkReader{b: b, w: w}
		entries, _, _ := l.walkContent(c, walker{bag: b}) // what is damaged in it shows when it is read
		entries = slices.DeleteFunc(entries, func(e entry) bool { return b.byID[e.conn] == nil })
		if len(entries) > 0 {
			b.notes.Addf(Repairable, c.Pos, "chunk info", "%d messages from %d to %d can't be true; the chunk was read", c.Messages(), c.Start, c.End)
			c.Counts = nil
			c.summarize(entries)
		}
	}
}

// readIndexSection reads connection and chunk info records from pos on, for as
// long as there are any: the header's counts may lie. It returns its end.
func (b *Bag) readIndexSection(w *record.Window, pos int64, conns, chunks uint32) (int64, error) {
	if pos < b.first || pos > b.size {
		return 0, fmt.Errorf("index position %d is not between the file header's end at %d and the file's end at %d", pos, b.first, b.size)
	}
	nConns, start := 0, pos
	for pos < b.size {
		var r record.Record
		if err := record.Read(w, pos, b.size, &r); err != nil {
			if nConns >= int(conns) && len(b.chunks) >= int(chunks) {
				break // the section is whole: this is a torn tail
			}
			return 0, err
		}
		if r.Op != record.OpConnection && r.Op != record.OpChunkInfo {
			break
		}
		if err := b.readIndexRecord(w, &r); err != nil {
			return 0, err
		}
		if r.Op == record.OpConnection {
			nConns++
		}
		pos = r.Next()
	}
	if nConns != int(conns) || len(b.chunks) != int(chunks) {
		b.notes.Addf(Repairable, start, "index section", "the file header counts %d connections and %d chunks, the index section holds %d and %d",
			conns, chunks, nConns, len(b.chunks))
	}
	if nConns < int(conns) || len(b.chunks) < int(chunks) {
		return 0, errors.New("it is shorter than the file header says")
	}
	return pos, nil
}

func (b *Bag) readIndexRecord(w *record.Window, r *record.Record) error {
	data, err := r.Data(w)
	if err != nil {
		return err
	}
	if r.Op == record.OpConnection {
		return b.addConnection(r, data)
	}
	info, err := parseChunkInfo(&r.Header, data)
	if err != nil {
		return err
	}
	if info.Pos < int64(len(magic20)) || info.Pos >= b.size {
		return fmt.Errorf("chunk position %d is outside the file", info.Pos)
	}
	b.chunks = append(b.chunks, chunk{ChunkInfo: info})
	return nil
}

// addConnection notes a connection the first time it is seen.
func (b *Bag) addConnection(r *record.Record, data []byte) error {
	c, err := parseConnection(&r.Header, data)
	if err != nil {
		return err
	}
	known, ok := b.byID[c.ID]
	if !ok {
		b.byID[c.ID] = c
		b.conns = append(b.conns, c)
		return nil
	}
	if known.Topic != c.Topic || known.MD5 != c.MD5 {
		b.notes.Addf(Repairable, r.Pos, "connection", "connection %d is described twice: %s and %s; the first counts", c.ID, known.Topic, c.Topic)
	}
	return nil
}

func (b *Bag) sortChunks() {
	slices.SortFunc(b.chunks, func(x, y chunk) int { return cmp.Compare(x.Pos, y.Pos) })
	b.chunks = slices.CompactFunc(b.chunks, func(x, y chunk) bool { return x.Pos == y.Pos })
}

func (b *Bag) errorAt(off int64, kind string, err error) error {
	return &FormatError{Path: b.path, Offset: off, Kind: kind, Err: err}
}

// Close closes the file. Views and iterators of the bag must be done.
func (b *Bag) Close() error {
	if b.content != nil {
		return b.content.Close()
	}
	if b.file == nil {
		return nil
	}
	var err error
	if b.ahead != nil {
		err = b.ahead.Close()
	}
	return errors.Join(err, b.file.Close())
}

// Path is the name that the bag was opened with.
func (b *Bag) Path() string { return b.path }

// Version is "2.0" or "1.2".
func (b *Bag) Version() string { return b.version }

// Size is the file's length when it was opened.
func (b *Bag) Size() int64 { return b.onDisk }

// Indexed tells whether the index section was there and whole.
func (b *Bag) Indexed() bool { return b.indexed }

// Notes says what was unusual about the file.
func (b *Bag) Notes() []Note { return slices.Clone(b.notes) }

// Connections in the order of their records.
func (b *Bag) Connections() []*Connection { return slices.Clone(b.conns) }

// Chunks in file order. Counts must not be changed.
func (b *Bag) Chunks() []ChunkInfo {
	out := make([]ChunkInfo, len(b.chunks))
	for i := range b.chunks {
		out[i] = b.chunks[i].ChunkInfo
	}
	return out
}

// Start is the time of the earliest message, 0 if there is none.
func (b *Bag) Start() Time {
	t := Time(0)
	for i := range b.chunks {
		if c := &b.chunks[i]; len(c.Counts) > 0 && (t == 0 || c.Start < t) {
			t = c.Start
		}
	}
	return t
}

// End is the time of the latest message, 0 if there is none.
func (b *Bag) End() Time {
	t := Time(0)
	for i := range b.chunks {
		if c := &b.chunks[i]; len(c.Counts) > 0 {
			t = max(t, c.End)
		}
	}
	return t
}

// MessageCount is the number of messages that the chunk infos add up to.
func (b *Bag) MessageCount() uint64 {
	n := uint64(0)
	for i := range b.chunks {
		n += b.chunks[i].Messages()
	}
	return n
}
