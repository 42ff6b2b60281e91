package db3

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"rsros/bagstore"
	"rsros/bagstore/db3/internal/sqlite"
)

// survey is what the leaves of a file contain, whether or not a tree leads to them.
type survey struct {
	leaves      []leaf // with messages
	more        bool   // there were more than maxLeaves
	topics      map[int64]bagstore.Topic
	replaced    map[int64]bagstore.Topic // from free pages: older versions
	definitions map[string]bagstore.Schema
	read        int64 // bytes of all descriptions
	columns     int   // of the topics table
}

type leaf struct {
	first, last int64 // rows; the least and the greatest
	page        uint32
	rows        uint16
	sure        bool // the table's tree leads to it
}

// maxLeaves bounds the memory for leaves: 32 bytes for each.
const maxLeaves = 1 << 23

// surveyed returns the survey. The first call reads the whole file.
func (f *File) surveyed() *survey {
	if f.survey != nil {
		return f.survey
	}
	s := &survey{topics: make(map[int64]bagstore.Topic), replaced: make(map[int64]bagstore.Topic),
		definitions: make(map[string]bagstore.Schema)}
	f.survey = s
	free, whole := f.pages.Free()
	if !whole {
		free = nil
	}
	r := f.pages.NewPageReader()
	f.pages.EachLeaf(func(number uint32, page []byte) bool {
		l := leaf{page: number}
		f.pages.EachRow(page, number, func(c *sqlite.Cell) bool {
			if f.message(r, c, true).ok {
				l.add(c.Row)
			} else {
				s.describing(r, c, free.Has(number))
			}
			return true
		})
		if l.rows == 0 {
			return true
		}
		if s.more = len(s.leaves) == maxLeaves; s.more {
			return false
		}
		s.leaves = append(s.leaves, l)
		return true
	})
	for id, t := range s.replaced {
		if _, known := s.topics[id]; !known && len(s.topics) < maxTopics {
			s.topics[id] = t
		}
	}
	return s
}

func (l *leaf) add(row int64) {
	if l.rows == 0 {
		l.first, l.last = row, row
	}
	l.first, l.last = min(l.first, row), max(l.last, row)
	l.rows++
}

const (
	maxDescriptions = 64 << 20 // all together
	maxLong         = 16 << 20 // a message definition, the metadata
	maxShort        = 64 << 10 // other texts
)

// text reads a column of a row; empty if it has more than most bytes, or if maxDescriptions were read: any number of
// rows may refer to the same pages.
func (s *survey) text(r *sqlite.Reader, c *sqlite.Cell, column int, most int64) string {
	size := int64(0) // up to the column's end
	for _, col := range c.Columns[:column+1] {
		size += col.Size()
	}
	if c.Columns[column].Size() > most || size > maxDescriptions-s.read {
		return ""
	}
	s.read += size
	b, err := r.Value(c, column, func(n int) []byte { return make([]byte, 0, n) })
	if err != nil || !utf8.Valid(b) {
		return ""
	}
	return string(b)
}

// describing adds a row that looks like one of the small tables'. Topics of free pages are used only if no other page
// has them.
func (s *survey) describing(r *sqlite.Reader, c *sqlite.Cell, free bool) {
	k := c.Columns
	if len(k) < 4 || len(k) > 6 || !k[0].IsNull() && !k[0].IsInt() {
		return
	}
	short := func(i int) string { return s.text(r, c, i, maxShort) }
	switch {
	case slices.ContainsFunc(k[1:], func(col sqlite.Column) bool { return !col.IsText() }):
	// message_definitions(id, topic_type, encoding, encoded_message_definition, …)
	case strings.HasPrefix(short(2), "ros2"):
		if len(s.definitions) == maxTopics || free {
			return
		}
		if t := s.text(r, c, 3, maxLong); t != "" {
			s.definitions[short(1)] = bagstore.Schema{Encoding: short(2), Text: t}
		}
	default: // topics(id, name, type, serialization_format, …)
		s.topic(c.Row, k, short, free)
	}
}

func (s *survey) topic(id int64, k []sqlite.Column, text func(int) string, free bool) {
	to := s.topics
	if free {
		to = s.replaced
	}
	if _, twice := to[id]; twice || len(to) == maxTopics || id <= 0 || id >= maxTopicID {
		return
	}
	t := bagstore.Topic{Name: text(1), Type: text(2), Encoding: text(3)}
	if !plainName().MatchString(t.Name) || !plainType().MatchString(t.Type) || !plainEncoding().MatchString(t.Encoding) {
		return
	}
	s.columns = max(s.columns, len(k))
	if len(k) > 4 {
		t.QoS = text(4)
	}
	if len(k) > 5 {
		t.Hash = text(5)
	}
	to[id] = t
}

// What the texts of a topic's row look like.
var (
	plainName     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^\x00-\x1f]{1,1000}$`) })
	plainType     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]\w*(/\w+){1,2}$`) })
	plainEncoding = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_]{1,20}$`) })
)
