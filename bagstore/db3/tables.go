package db3

import (
	"cmp"
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
)

func findTable(objects []sqlite.Object, name string, columns ...string) (t *sqlite.Table, at []int, err error) {
	t = sqlite.Find(objects, name)
	if t == nil {
		return nil, nil, fmt.Errorf("not a rosbag2 file: there is no table %s", name)
	}
	for _, c := range t.Columns {
		if c.Generated {
			return nil, nil, fmt.Errorf("not a rosbag2 file: column %q of table %s is computed", c.Name, name)
		}
	}
	for _, c := range columns {
		i := t.Index(c)
		if i < 0 {
			return nil, nil, fmt.Errorf("not a rosbag2 file: table %s has no column %s", name, c)
		}
		at = append(at, i)
	}
	return t, at, nil
}

type tableRow struct {
	*sqlite.Cell
	r   *sqlite.Reader
	err error // of the texts that were read
}

// eachRow calls each for the rows of a table, and returns the first error of each or of a text.
func (f *File) eachRow(t *sqlite.Table, each func(*tableRow) error) error {
	row := tableRow{r: f.pages.NewReader()}
	return f.pages.Rows(t.Root, func(c *sqlite.Cell) error {
		t.Complete(c)
		row.Cell = c
		err := each(&row)
		return cmp.Or(row.err, err)
	})
}

// text returns a column as text. One of more bytes than a message definition has is an error.
func (r *tableRow) text(column int) string {
	s, err := r.r.Text(r.Cell, column, maxLong)
	r.err = cmp.Or(r.err, err)
	return s
}

// key returns the value of a column that may be the alias of the row's number, which a record doesn't have.
func (r *tableRow) key(column int) (v int64, ok bool) {
	if r.Columns[column].IsNull() {
		return r.Row, true
	}
	return r.r.Int(r.Cell, column)
}

// maxTopics bounds the topics of a file, and the types with a definition.
const maxTopics = 1 << 16

// described bounds what a file says of its topics: the reader refuses more, and so does the writer.
type described struct{ topics, topicBytes, definitions, definitionBytes int }

func (d *described) topic(t *bagstore.Topic) error {
	d.topics++
	d.topicBytes += len(t.Name) + len(t.Type) + len(t.Encoding) + len(t.QoS) + len(t.Hash)
	if d.topics > maxTopics || d.topicBytes > maxDescriptions {
		return fmt.Errorf("found %d topics of %d bytes, want at most %d of %d", d.topics, d.topicBytes,
			maxTopics, maxDescriptions)
	}
	return nil
}

func (d *described) definition(s bagstore.Schema) error {
	d.definitions++
	d.definitionBytes += len(s.Encoding) + len(s.Text)
	if d.definitions > maxTopics || d.definitionBytes > maxDefinitions {
		return fmt.Errorf("found %d message definitions of %d bytes, want at most %d of %d", d.definitions,
			d.definitionBytes, maxTopics, maxDefinitions)
	}
	return nil
}

func (f *File) readTopics(objects []sqlite.Object) error {
	table, at, err := findTable(objects, "topics", "id", "name", "type", "serialization_format")
	if err != nil {
		return err
	}
	definitions, err := f.definitions(objects)
	if err != nil {
		return err
	}
	f.schema = 1
	qos, hash := table.Index("offered_qos_profiles"), -1
	if qos >= 0 {
		f.schema, hash = 2, table.Index("type_description_hash")
	}
	if n, ok := f.schemaVersion(objects); ok {
		f.schema = n
	}
	f.byID = make(map[int64]uint32)
	var d described
	return f.eachRow(table, func(r *tableRow) error {
		t := bagstore.Topic{Name: r.text(at[1]), Type: r.text(at[2]), Encoding: cmp.Or(r.text(at[3]), bagstore.CDR)}
		if qos >= 0 {
			t.QoS = r.text(qos)
		}
		if hash >= 0 {
			t.Hash = r.text(hash)
		}
		t.Schema = definitions[t.Type]
		id, _ := r.key(at[0])
		f.addTopic(id, t)
		if err := d.topic(&t); err != nil {
			return fmt.Errorf("read topics: %w", err)
		}
		return nil
	})
}

func (f *File) schemaVersion(objects []sqlite.Object) (n int, ok bool) {
	table, at, err := findTable(objects, "schema", "schema_version")
	if err != nil {
		return 0, false
	}
	err = f.eachRow(table, func(r *tableRow) error {
		if !ok {
			var v int64
			v, ok = r.key(at[0])
			n = int(v)
		}
		return nil
	})
	return n, ok && err == nil
}

const maxDefinitions = 64 << 20

// definitions reads the message definitions of files of schema 4.
func (f *File) definitions(objects []sqlite.Object) (map[string]bagstore.Schema, error) {
	list := make(map[string]bagstore.Schema)
	if sqlite.Find(objects, "message_definitions") == nil {
		return list, nil
	}
	table, at, err := findTable(objects, "message_definitions", "topic_type", "encoding", "encoded_message_definition")
	if err != nil {
		return nil, err
	}
	var d described
	return list, f.eachRow(table, func(r *tableRow) error {
		s := bagstore.Schema{Encoding: r.text(at[1]), Text: r.text(at[2])}
		list[r.text(at[0])] = s
		return d.definition(s)
	})
}

// rowForm is the messages table and the indexes of its columns.
type rowForm struct {
	table                 *sqlite.Table
	id, topic, time, data int
}

// standardRows is the form of the table in rosbag2's files.
func standardRows() rowForm {
	return rowForm{&sqlite.Table{Columns: make([]sqlite.TableColumn, 4)}, 0, 1, 2, 3}
}

func (f *File) readForm(objects []sqlite.Object) error {
	table, at, err := findTable(objects, "messages", "id", "topic_id", "timestamp", "data")
	if err == nil {
		f.rows = rowForm{table, at[0], at[1], at[2], at[3]}
	}
	return err
}

// maxTopicID bounds the ids of topics, which rosbag2 counts from 1.
const maxTopicID = 1 << 31

// message reads a row as a message. In a page outside the table's tree (loose), only rows that look like rosbag2's
// are messages.
func (f *File) message(r *sqlite.Reader, c *sqlite.Cell, loose bool) found {
	form := &f.rows
	m := found{cell: c.Index, row: c.Row}
	if loose && (len(c.Columns) != len(form.table.Columns) || !f.pages.Fits(c)) {
		return m
	}
	form.table.Complete(c)
	topic, named := r.Int(c, form.topic)
	time, timed := r.Int(c, form.time)
	id, data := c.Columns[form.id], c.Columns[form.data]
	m.topic, m.time, m.size = topic, time, data.Size()
	m.ok = named && timed && (data.IsBlob() || data.IsText())
	if loose {
		m.ok = m.ok && topic > 0 && topic < maxTopicID && data.IsBlob() && (id.IsNull() || id.IsInt())
	}
	return m
}
