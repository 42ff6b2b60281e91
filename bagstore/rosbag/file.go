package rosbag

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/internal/memory"
	"rsros/bagstore/place"
)

// The version lines of the formats. Wire constants.
const (
	magic20 = "#ROSBAG V2.0\n"
	magic12 = "#ROSBAG V1.2\n"
	// fileHeaderSize is the length of the padded file header record without its two length fields.
	fileHeaderSize = 4096
	firstChunk     = int64(len(magic20) + 8 + fileHeaderSize)
)

// File is an open bag file, the [bagstore.Source] of a recording. It is safe for concurrent use.
type File struct {
	path     string
	from     place.File
	file     *os.File    // of a path; nil for an address
	ahead    *disk.Ahead // if not nil, r reads with it
	onDisk   int64       // length of the file
	r        io.ReaderAt
	size     int64 // length of the file and of its tail file's chunks
	version  string
	indexed  bool
	headless bool    // the file header is damaged
	first    int64   // where scanning begins
	chunks   []chunk // in file order
	conns    []*bagstore.Connection
	byID     map[uint32]*connection
	notes    bagstore.Notes
	texts    memory.Texts // definitions

	tailToken uint64 // of the tail file named in the file header; 0: none
	tornAt    int64  // offset of the torn record or padding at the end of the file; 0: none

	found        bagstore.Found
	descriptions descriptions

	topics12 map[string]uint32 // connection of each topic in a 1.2 bag
}

type chunk struct {
	bagstore.ChunkInfo
	head bagstore.Layout // set if the bag was scanned; otherwise read when needed
	walk bool            // there are no index records: the content must be walked
	torn bool            // the chunk ends early; its whole records count
}

// Open opens a bag at a path or an address. It reads only the index section, or the whole file if that is damaged.
func Open(name string, o bagstore.OpenOptions) (*bagstore.Recording, error) {
	b, err := openPath(name, o, false)
	if err != nil {
		return nil, err
	}
	return b.recording(), nil
}

// OpenFile is Open for an open file. The recording closes it, OpenFile after an error.
func OpenFile(f place.File, o bagstore.OpenOptions) (*bagstore.Recording, error) {
	b, err := openFile(f, o, false)
	if err != nil {
		return nil, err
	}
	return b.recording(), nil
}

// FileOf returns the file of a recording; nil if its format is another one.
func FileOf(r *bagstore.Recording) *File {
	b, _ := r.Source().(*File)
	return b
}

func openPath(name string, o bagstore.OpenOptions, indexOnly bool) (*File, error) {
	f, err := place.Open(contextOf(o), name)
	if err != nil {
		return nil, err
	}
	return openFile(f, o, indexOnly)
}

// openFile opens a bag. indexOnly leaves scanning from File.first on to the caller.
func openFile(f place.File, o bagstore.OpenOptions, indexOnly bool) (*File, error) {
	size := f.Info().Size
	b := &File{path: f.Info().Name, from: f, file: place.OnDisk(f), r: f, size: size, onDisk: size,
		byID: make(map[uint32]*connection)}
	if b.file != nil && (forceDirect || o.Sequential && b.size >= disk.AheadLeast) {
		if b.ahead = disk.OpenAhead(b.file, b.size, forceDirect); b.ahead != nil {
			b.r = b.ahead
		}
	}
	if err := cmp.Or(b.open(o, indexOnly), b.failed()); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func contextOf(o bagstore.OpenOptions) context.Context {
	return cmp.Or(o.Context, context.Background())
}

// recording returns the bag as a recording.
func (b *File) recording() *bagstore.Recording { return bagstore.NewRecording(b) }

// Info describes the file.
func (b *File) Info() bagstore.Info {
	return bagstore.Info{Path: b.path, Version: b.version, Size: b.onDisk,
		Notes: slices.Clone(b.notes), Unindexed: !b.indexed,
		ReadAhead: b.ahead != nil, Costly: b.remote()}
}

// failed returns the error that ended reading from the bag's address, if there was one. It is no damage of the bag.
func (b *File) failed() error { return place.Failed(b.from) }

// remote reports whether the bag is a file at an address.
func (b *File) remote() bool { return b.file == nil }

// Connections returns the connections in the order of their records.
func (b *File) Connections() []*bagstore.Connection { return slices.Clone(b.conns) }

// Blocks returns the chunks.
func (b *File) Blocks() []bagstore.Block {
	list := make([]bagstore.Block, len(b.chunks))
	for i := range b.chunks {
		list[i].ChunkInfo = b.chunks[i].ChunkInfo
	}
	return list
}

// Reader returns a reader of the chunks.
func (b *File) Reader() bagstore.Reader { return newChunkReader(b) }

// Extent returns where a chunk and its index records are, nil if not at an address; nothing of the
// last one of a bag, which the index section follows.
func (b *File) Extent(block int) (in place.File, from, to int64) {
	if b.remote() {
		in = b.from
	}
	from = b.chunks[block].Pos
	if block+1 == len(b.chunks) {
		return in, from, from
	}
	return in, from, b.chunks[block+1].Pos
}

// Found returns the losses that reading has found: topics that a chunk describes in another way than the index.
func (b *File) Found() []bagstore.Note { return b.found.Notes() }

// open reads the bag until the context ends.
func (b *File) open(o bagstore.OpenOptions, indexOnly bool) error {
	ctx, r := contextOf(o), b.r
	b.r = place.Until(ctx, r)
	err := b.readFile(o, indexOnly)
	if j, ok := b.r.(*joined); ok {
		j.r = r
	} else {
		b.r = r
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("open %s: %w", b.path, ctx.Err())
	}
	return err
}

func (b *File) readFile(o bagstore.OpenOptions, indexOnly bool) error {
	line := make([]byte, len(magic20))
	if err := bagrecord.ReadFull(b.r, line, 0); errors.Is(err, io.ErrUnexpectedEOF) {
		line = line[:min(b.size, int64(len(line)))] // the file may have been cut since
	} else if err != nil {
		return b.errorAt(0, "version line", err)
	}
	switch {
	case string(line) == magic20:
		b.version = "2.0"
		return b.open20(o, indexOnly)
	case string(line) == magic12:
		b.version = "1.2"
		b.scan12()
		return nil
	case bytes.HasPrefix(line, []byte("#ROS")):
		return b.errorAt(0, "version line", fmt.Errorf("%w %q", ErrVersion, bytes.TrimSpace(line)))
	}
	if len(line) == 0 {
		return fmt.Errorf("%s: %w: the file is empty", b.path, ErrNotBag)
	}
	return fmt.Errorf("%s: %w, and no MCAP or .db3 file: it begins with %q", b.path, ErrNotBag, line)
}

func (b *File) open20(o bagstore.OpenOptions, indexOnly bool) error {
	w := bagrecord.NewWindow(b.r, b.size)
	end, err := b.readIndex(w, o)
	switch {
	case err != nil:
		return err
	case indexOnly && b.tailToken == 0:
		return nil
	case !b.indexed:
		b.scan(w, b.first)
	case end < b.size: // chunks that were written after the last checkpoint
		if found := b.scan(w, end); found > 0 {
			b.notes.Addf(bagstore.Repairable, end, "chunk", "%d chunks after the index section were read too", found)
		}
	}
	err = b.takeTail(contextOf(o))
	b.noteGarbled()
	return err
}

// topicOf names the topic of a connection.
func (b *File) topicOf(id uint32) string {
	if c := b.byID[id]; c != nil {
		return c.Topic
	}
	return fmt.Sprintf("connection %d", id)
}

func (b *File) errorAt(off int64, kind string, err error) error {
	return &bagstore.FormatError{Path: b.path, Offset: off, Kind: kind, Err: err}
}

// Close closes the file. Nobody may be reading it.
func (b *File) Close() error {
	var err error
	if b.ahead != nil {
		err = b.ahead.Close()
	}
	return errors.Join(err, b.from.Close())
}
