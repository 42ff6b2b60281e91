package db3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
	"rsros/bagstore/place"
	"rsros/program/yaml"
)

// File is an open .db3 file. Its methods may be called by many goroutines.
type File struct {
	path    string
	files   []place.File // the database, its journal and its log
	r       io.ReaderAt  // the database with its journal and log applied
	size    int64        // of the file
	dbSize  int64        // of what r reads
	pages   *sqlite.File
	schema  int
	topics  []bagstore.Topic
	byID    map[int64]uint32 // a topic's index by its row in the file
	rows    rowForm
	blocks  []block
	readers sync.Pool // of *reader
	notes   bagstore.Notes
	zstd    messageZstd

	// Of a damaged file:
	survey  *survey           // nil: not all pages were looked at
	rescued bool              // the messages are from any pages that have them
	strays  bool              // some are from pages outside the table's tree
	loose   sqlite.Set        // pages with messages outside the table's tree
	dropped map[uint32][]bool // cells by page that are left out: their rows are in other pages, or were deleted
}

func Is(head []byte) bool { return sqlite.Is(head) }

// Open opens a .db3 file at a path or an address.
func Open(name string) (*File, error) {
	ctx := context.Background()
	f, err := place.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return OpenFile(ctx, f, nil)
}

// OpenFile opens a .db3 file. The context ends opening, which reads all pages with rows. A file at an address is
// fetched whole first, with reports of that: its pages are scattered. The File closes f, OpenFile after an error.
func OpenFile(ctx context.Context, f place.File, report bagstore.Progress) (*File, error) {
	file := &File{path: f.Info().Name, files: []place.File{f}, size: f.Info().Size}
	in := &opening{f, ctx}
	err := place.Fetch(ctx, f, report)
	if err == nil {
		file.r, file.dbSize, err = file.withLeftovers(ctx, in, file.size)
	}
	if err == nil {
		err = file.read()
	}
	in.ctx = context.Background()
	return file.opened(cmp.Or(ctx.Err(), err))
}

// opening is a file that ends reading with a context.
type opening struct {
	place.File
	ctx context.Context
}

func (o *opening) ReadAt(p []byte, off int64) (int, error) {
	return place.Until(o.ctx, o.File).ReadAt(p, off)
}

// OpenReader opens a .db3 file over r, which stays the caller's. Errors contain the name.
func OpenReader(r io.ReaderAt, size int64, name string) (*File, error) {
	file := &File{path: name, r: r, size: size, dbSize: size}
	return file.opened(file.read())
}

func (f *File) opened(err error) (*File, error) {
	if err != nil {
		f.Close() //nolint:errcheck // only read
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return f, nil
}

func (f *File) read() (err error) {
	var objects []sqlite.Object
	f.rows = standardRows()
	f.pages, err = sqlite.Open(f.r, f.dbSize)
	if err == nil {
		if n := f.pages.Missing(); n > 0 {
			f.notes.Addf(bagstore.Loss, -1, "file", "the file is torn: its last %d bytes are missing", n)
		}
		if len(f.files) > 0 {
			f.pages.Fetch = f.files[0].Want
		}
		if objects, err = f.pages.Schema(); err == nil {
			err = f.readTopics(objects)
		}
	}
	if err != nil && (!unfollowed(err) || !f.rescueTopics(err)) {
		return err
	}
	if err = f.scan(objects, err); err == nil {
		f.noteMissing(objects)
	}
	return err
}

// unfollowed reports whether an error means that pages can't be followed.
func unfollowed(err error) bool {
	return errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, sqlite.ErrNotDatabase)
}

// Info describes the file. The schema is 1 to 4.
func (f *File) Info() bagstore.Info {
	return bagstore.Info{Path: f.path, Version: fmt.Sprintf("rosbag2 (SQLite, schema %d)", f.schema), Size: f.size,
		Notes: slices.Clone(f.notes), Clamps: true}
}

// Topics lists the topics. Entries and counts name them by their index here.
func (f *File) Topics() []bagstore.Topic { return slices.Clone(f.topics) }

// Connections describes the topics.
func (f *File) Connections() []*bagstore.Connection { return bagstore.Connections(f.topics) }

// Found returns nothing: the format doesn't say what messages should be.
func (f *File) Found() []bagstore.Note { return nil }

func (f *File) Blocks() []bagstore.Block {
	list := make([]bagstore.Block, len(f.blocks))
	for i := range f.blocks {
		list[i] = f.blocks[i].info
	}
	return list
}

// Extent returns nothing: the file is on disk.
func (f *File) Extent(int) (in place.File, from, to int64) { return nil, 0, 0 }

func (f *File) Close() error {
	var err error
	for _, c := range f.files {
		err = cmp.Or(err, c.Close())
	}
	return err
}

// Check finds nothing more: opening looks for missing rows.
func (f *File) Check() {}

// noteMissing notes rows that are missing by the number of messages in the file's metadata, unless losses were noted.
// Only that number shows that all messages were found if pages outside the tree have some.
func (f *File) noteMissing(objects []sqlite.Object) {
	if f.notes.Worst() == bagstore.Loss {
		return
	}
	found := uint64(0)
	for i := range f.blocks {
		found += f.blocks[i].info.Messages()
	}
	switch counted := f.counted(objects); {
	case counted > found:
		f.notes.Addf(bagstore.Loss, -1, "rows", "the metadata counts %d messages, the file has %d", counted, found)
	case counted == 0 && f.strays:
		f.notes.Addf(bagstore.Loss, -1, "rows", "%d messages were found, some outside of the table's tree; nothing says how many there were", found)
	}
}

// counted is the number of messages in the file's own metadata; 0 if it has none, as after a kill.
func (f *File) counted(objects []sqlite.Object) uint64 {
	table, at, err := findTable(objects, "metadata", "metadata")
	if err != nil {
		return 0
	}
	var metadata struct {
		Messages uint64 `yaml:"message_count"`
	}
	err = f.eachRow(table, func(r *tableRow) error { return yaml.Decode([]byte(r.text(at[0])), &metadata) })
	if err != nil {
		return 0
	}
	return metadata.Messages
}

// timeOf is a row's time as in a [bagstore.Entry].
func timeOf(ns int64) bagstore.Time {
	if ns < 0 {
		return 0
	}
	return min(max(bagstore.Time(ns), bagstore.MinTime), bagstore.MaxTime)
}
