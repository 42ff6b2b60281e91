package db3

import (
	"errors"
	"fmt"
	"os"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
	"rsros/bagstore/internal/disk"
)

// schema2 has the names and types that librealsense and ROS 2 up to Humble use.
var schema2 = []sqlite.Declaration{
	{Name: "topics", SQL: "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL)"},
	{Name: "messages", SQL: "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL)"},
	{Name: "timestamp_idx", SQL: "CREATE INDEX timestamp_idx ON messages (timestamp ASC)", Of: "messages", Column: 2},
}

// schema4 is what ROS 2 since Iron writes. Earlier releases read it as they read schema 2.
var schema4 = []sqlite.Declaration{
	{Name: "schema", SQL: "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL)"},
	{Name: "metadata", SQL: "CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL)"},
	{Name: "topics", SQL: "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL, type_description_hash TEXT NOT NULL)"},
	{Name: "message_definitions", SQL: "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL, encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL)"},
	{Name: "messages", SQL: "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL)"},
	{Name: "timestamp_idx", SQL: "CREATE INDEX timestamp_idx ON messages (timestamp ASC)", Of: "messages", Column: 2},
}

// commitBytes are written between commits of a file that isn't live, which bounds the index's memory.
const commitBytes = 16 << 20

// Writer makes a .db3 file. It is for one goroutine.
type Writer struct {
	f        *disk.Pages
	db       *sqlite.Writer
	topics   int64
	messages int64
	live     *live           // nil: nobody reads the file before it is complete
	waits    int             // bytes since the last commit of a file that isn't live
	defined  map[string]bool // types whose definition is in the file; nil for schema 2
	bounds   described
	names    []string      // of the topics, by ID from 1
	written  bagstore.Kept // part of the file with the next commit
	kept     bagstore.Kept // set by Close
}

// NewWriter makes a .db3 file of schema 2, which every reader knows, in f, which is empty. It is of no use until Close.
func NewWriter(f *os.File) *Writer { return newWriter(f, schema2, nil) }

// directFrom is the size from which a file is written past the page cache, as bags are.
const directFrom = 16 << 20

func newWriter(f *os.File, schema []sqlite.Declaration, l *live) *Writer {
	pages := disk.NewPages(f, directFrom)
	return &Writer{f: pages, db: sqlite.NewWriter(pages, schema, l == nil), live: l}
}

// NewDefinedWriter is NewWriter for schema 4, which has the definitions of types.
func NewDefinedWriter(f *os.File) (*Writer, error) {
	w := newWriter(f, schema4, nil)
	return w, w.define()
}

// define makes an empty file one of schema 4.
func (w *Writer) define() error {
	w.defined = make(map[string]bool)
	return w.db.Append("schema", 4, sqlite.Value{}, sqlite.Text(""))
}

// AddTopic adds a topic of CDR messages, and to a file of schema 4 the definition of its type. It returns the topic's
// id.
func (w *Writer) AddTopic(t bagstore.Topic) (id int64, err error) {
	w.topics++
	t.Encoding = bagstore.CDR
	if err = w.bounds.topic(&t); err == nil {
		columns := []sqlite.Value{{}, sqlite.Text(t.Name), sqlite.Text(t.Type), sqlite.Text(t.Encoding), sqlite.Text(t.QoS)}
		if w.defined != nil {
			columns = append(columns, sqlite.Text(t.Hash))
		}
		err = w.db.Append("topics", w.topics, columns...)
	}
	if err != nil {
		return 0, fmt.Errorf("write topic %s: %w", t.Name, err)
	}
	w.names = append(w.names, t.Name)
	if w.defined == nil || t.Schema.Encoding == "" || w.defined[t.Type] {
		return w.topics, nil
	}
	w.defined[t.Type] = true
	if err := w.bounds.definition(t.Schema); err != nil {
		return 0, fmt.Errorf("write the definition of %s: %w", t.Type, err)
	}
	err = w.db.Append("message_definitions", int64(len(w.defined)), sqlite.Value{}, sqlite.Text(t.Type),
		sqlite.Text(t.Schema.Encoding), sqlite.Text(t.Schema.Text), sqlite.Text(t.Hash))
	if err != nil {
		return 0, fmt.Errorf("write the definition of %s: %w", t.Type, err)
	}
	return w.topics, nil
}

// Describe stores what a file of schema 4 says of itself, once.
func (w *Writer) Describe(m *Metadata) error {
	err := w.db.Append("metadata", 1, sqlite.Value{}, sqlite.Int(metadataVersion), sqlite.Text(m.text("")))
	if err != nil {
		return fmt.Errorf("write metadata: %w", err)
	}
	return nil
}

// Write adds a message, which is borrowed. Messages of one time keep their order.
func (w *Writer) Write(topic, ns int64, message ...[]byte) error {
	size := 0
	for _, b := range message {
		size += len(b)
	}
	if size > maxBlob {
		return fmt.Errorf("write message: it has %d bytes, SQLite takes at most %d", size, maxBlob)
	}
	w.messages++
	err := w.db.Append("messages", w.messages, sqlite.Value{}, sqlite.Int(topic), sqlite.Int(ns), sqlite.Blob(message...))
	if err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	w.written.Add(w.names[topic-1], 1, bagstore.Time(ns), bagstore.Time(ns))
	if w.waits += size; w.live != nil || w.waits < commitBytes {
		return nil
	}
	w.waits = 0
	return w.db.Commit()
}

// maxBlob is the size that SQLite's readers take unless they were built otherwise.
const maxBlob = 1_000_000_000

func (w *Writer) Size() int64 { return w.db.Size() }

// Kept returns what is in a file of Create after Close. It is empty if another program has taken the file away.
func (w *Writer) Kept() bagstore.Kept { return w.kept }

// Close makes the file whole. It closes and syncs one of Create.
func (w *Writer) Close() error {
	if w.live != nil {
		return w.closeLive()
	}
	return errors.Join(w.db.Commit(), w.f.Finish())
}
