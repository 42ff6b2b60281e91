package rosbag2

import (
	"fmt"
	"os"

	"rsros/bagstore/internal/sqlite"
)

// schema2 has the names and types that librealsense and ROS 2 up to Humble use.
const schema2 = `
CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX timestamp_idx ON messages (timestamp ASC);
`

const (
	insertTopic   = "INSERT INTO topics(id, name, type, serialization_format, offered_qos_profiles) VALUES(?, ?, ?, 'cdr', ?)"
	insertMessage = "INSERT INTO messages(topic_id, timestamp, data) VALUES(?, ?, ?)"

	flushBytes = 8 << 20 // of messages between two flushes
)

// Writer makes a .db3 file of schema 2, which every reader takes. When it fails, the
// file is of no use. It is for one goroutine.
type Writer struct {
	db     *sqlite.Writer
	topics int64
	waits  int // bytes since the last flush
}

// NewWriter makes a .db3 file in f, which is empty and stays the caller's.
func NewWriter(f *os.File) (*Writer, error) {
	db, err := sqlite.NewWriter(f, schema2)
	if err != nil {
		return nil, err
	}
	return &Writer{db: db}, nil
}

// AddTopic adds a topic of CDR messages and returns its id. typ is in the words of
// ROS 2: "std_msgs/msg/String".
func (w *Writer) AddTopic(name, typ, qos string) (id int64, err error) {
	w.topics++
	if err := w.db.Run(insertTopic, w.topics, name, typ, qos); err != nil {
		return 0, fmt.Errorf("write topic %s: %w", name, err)
	}
	return w.topics, nil
}

// Write adds a message, which is copied. ns is its time. Messages of one time are
// read in the order of their writing.
func (w *Writer) Write(topic, ns int64, data []byte) error {
	if err := w.db.Run(insertMessage, topic, ns, data); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	if w.waits += len(data); w.waits < flushBytes {
		return nil
	}
	w.waits = 0
	return w.db.Flush()
}

// Close makes the file whole. It doesn't sync it.
func (w *Writer) Close() error { return w.db.Close() }
