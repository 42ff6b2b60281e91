package rosbag2

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"rsros/bagstore"
	"rsros/bagstore/formats/container"
	"rsros/bagstore/formats/rosbag2/internal/dbpages"
	"rsros/bagstore/formats/rosbag2/internal/sqlite"
	"rsros/bagstore/internal/disk"
)

// File is an open .db3 file. Its methods may be called by many goroutines.
type File struct {
	path   string
	closes []io.Closer
	db     *sqlite.DB
	size   int64
	schema int
	topics []container.Topic
	byID   map[int64]uint32 // a topic's index by its row in the file
	blocks []block
	notes  bagstore.Notes
	zstd   messageZstd

	// Of a file that SQLite can't read in full:
	raw     io.ReaderAt // the database, with what is beside it taken in
	rawSize int64
	pages   *dbpages.File // nil: they weren't looked at
	survey  *survey       // nil: what leads to the pages is whole
	rescued *rescue       // nil: SQLite finds all rows
	adopts  bool          // messages of unknown topics have one; the table of topics is damaged
	unnamed []uint32      // topics of which only the id is known
}

// Is reports whether a file that begins with head may be one for Open.
func Is(head []byte) bool { return sqlite.Is(head) }

// Open opens a .db3 file. The error is sqlite's ErrNotDatabase, or says which table is
// missing.
func Open(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	file := &File{path: path, closes: []io.Closer{f}, size: st.Size()}
	r, size, err := file.withBeside(f, st.Size())
	if err == nil {
		err = file.open(r, size)
	}
	if err != nil {
		file.Close() //nolint:errcheck // only read
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// OpenReader opens a .db3 file over any random access reader, which stays the
// caller's. Errors contain the name.
func OpenReader(r io.ReaderAt, size int64, name string) (*File, error) {
	file := &File{path: name, size: size}
	if err := file.open(r, size); err != nil {
		file.Close() //nolint:errcheck // only read
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

func (f *File) open(r io.ReaderAt, size int64) (err error) {
	f.raw, f.rawSize = r, size
	f.db, err = sqlite.Open(r, size)
	if err == nil {
		if n := f.db.Missing(); n > 0 {
			f.notes.Addf(bagstore.Loss, -1, "file", "the file is torn: its last %d bytes are missing", n)
		}
		err = f.readTopics()
	}
	if err != nil && (!unfollowed(err) || !f.rescueTopics(err)) {
		return err
	}
	if file, ok := r.(*os.File); ok && err == nil {
		f.fetch(file)
	}
	if f.db == nil {
		if !f.rescueRows(err) {
			return err
		}
	} else if err := f.scan(); err != nil {
		return err
	}
	f.sayUnnamed()
	return nil
}

// unfollowed reports whether an error is that SQLite doesn't get from one page to another.
func unfollowed(err error) bool {
	return errors.Is(err, sqlite.ErrCorrupt) || errors.Is(err, sqlite.ErrNotDatabase)
}

// fetch has all pages that the scan will read fetched from the disk, where they are far apart.
func (f *File) fetch(file *os.File) {
	if _, err := f.table("messages"); err != nil {
		return // the scan says so
	}
	_ = f.db.Leaves("messages", func(off, n int64) { disk.Fetch(file, off, n) }) // the scan finds the error
}

// table makes sure that a table is one that rosbag2 made, so that reading it reads
// stored values only.
func (f *File) table(name string, columns ...string) (extra []string, err error) {
	list, err := f.db.Columns(name)
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, fmt.Errorf("not a rosbag2 file: there is no table %s", name)
	}
	for _, c := range list {
		if c.Generated {
			return nil, fmt.Errorf("not a rosbag2 file: column %q of table %s is computed", c.Name, name)
		}
		extra = append(extra, strings.ToLower(c.Name))
	}
	for _, c := range columns {
		at := slices.Index(extra, c)
		if at < 0 {
			return nil, fmt.Errorf("not a rosbag2 file: table %s has no column %s", name, c)
		}
		extra = slices.Delete(extra, at, at+1)
	}
	return extra, nil
}

// maxTopics bounds a table that was made to be hostile.
const maxTopics = 1 << 16

func (f *File) readTopics() error {
	extra, err := f.table("topics", "id", "name", "type", "serialization_format")
	if err != nil {
		return err
	}
	f.schema = 1
	columns := "id, name, type, serialization_format"
	if slices.Contains(extra, "offered_qos_profiles") {
		f.schema = 2
		columns += ", offered_qos_profiles"
	}
	hash := ""
	if slices.Contains(extra, "type_description_hash") && f.schema > 1 {
		hash = ", type_description_hash"
	}
	if n, ok := f.schemaVersion(); ok {
		f.schema = n
	}
	definitions, err := f.definitions()
	if err != nil {
		return err
	}
	f.byID = make(map[int64]uint32)
	size := 0
	return f.db.Query("SELECT "+columns+hash+" FROM topics NOT INDEXED ORDER BY rowid", func(r sqlite.Row) (bool, error) {
		t := container.Topic{Name: r.Text(1), Type: r.Text(2), Encoding: cmp.Or(r.Text(3), container.CDR)}
		if strings.Contains(columns, "offered") {
			t.QoS = r.Text(4)
		}
		if hash != "" {
			t.Hash = r.Text(5)
		}
		t.Schema = definitions[t.Type]
		f.addTopic(r.Int(0), t)
		if size += len(t.Name) + len(t.Type) + len(t.Encoding) + len(t.QoS) + len(t.Hash); size > maxDescriptions || len(f.topics) > maxTopics {
			return false, fmt.Errorf("read topics: found %d of %d bytes, expected at most %d of %d", len(f.topics), size, maxTopics, maxDescriptions)
		}
		return true, nil
	})
}

// schemaVersion reads what files of schema 3 and later say of themselves.
func (f *File) schemaVersion() (n int, ok bool) {
	if _, err := f.table("schema", "schema_version"); err != nil {
		return 0, false
	}
	err := f.db.Query("SELECT schema_version FROM schema NOT INDEXED", func(r sqlite.Row) (bool, error) {
		n, ok = int(r.Int(0)), r.IsInt(0)
		return false, nil
	})
	return n, ok && err == nil
}

// maxDefinitions bounds the text of all definitions, in bytes.
const maxDefinitions = 64 << 20

// definitions reads the message definitions of files of schema 4.
func (f *File) definitions() (map[string]container.Schema, error) {
	list := make(map[string]container.Schema)
	columns, err := f.db.Columns("message_definitions")
	if err != nil || columns == nil {
		return list, err
	}
	if _, err := f.table("message_definitions", "topic_type", "encoding", "encoded_message_definition"); err != nil {
		return nil, err
	}
	bytes := 0
	err = f.db.Query("SELECT topic_type, encoding, encoded_message_definition FROM message_definitions NOT INDEXED", func(r sqlite.Row) (bool, error) {
		s := container.Schema{Encoding: r.Text(1), Text: r.Text(2)}
		list[r.Text(0)] = s
		if bytes += len(s.Text) + len(s.Encoding); bytes > maxDefinitions || len(list) > maxTopics {
			return false, fmt.Errorf("message definitions of more than %d bytes", bytes)
		}
		return true, nil
	})
	return list, err
}

// Format names the schema, 1 to 4.
func (f *File) Format() string { return fmt.Sprintf("rosbag2 (SQLite, schema %d)", f.schema) }

// Size of the file.
func (f *File) Size() int64 { return f.size }

// Topics in the order of their table.
func (f *File) Topics() []container.Topic { return slices.Clone(f.topics) }

// Notes says what was unusual about the file.
func (f *File) Notes() []bagstore.Note { return slices.Clone(f.notes) }

// Blocks are ranges of rows.
func (f *File) Blocks() []bagstore.Block {
	list := make([]bagstore.Block, len(f.blocks))
	for i := range f.blocks {
		list[i] = f.blocks[i].info
	}
	return list
}

// Close closes the file.
func (f *File) Close() error {
	var err error
	if f.db != nil {
		err = f.db.Close()
	}
	for _, c := range f.closes {
		err = cmp.Or(err, c.Close())
	}
	return err
}

// Check has SQLite compare pages and indexes with each other.
func (f *File) Check(note func(bagstore.Note)) error {
	if f.db == nil {
		return nil // the notes say why
	}
	problems, err := f.db.Check(bagstore.MaxNotes)
	for _, p := range problems {
		note(bagstore.Note{Offset: -1, Kind: "page", Severity: bagstore.Repairable, Text: p})
	}
	return err
}

// timeOf is a row's time as a bag can hold it.
func timeOf(ns int64) bagstore.Time {
	return min(max(bagstore.Time(ns), bagstore.MinTime), bagstore.MaxTime)
}

// noRow is below every row that rosbag2 makes.
const noRow = math.MinInt64
