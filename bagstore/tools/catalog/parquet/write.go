package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Limits of a group that is written. A group is in memory until it is complete.
const (
	groupRows  = 1000
	groupBytes = 8 << 20
)

// Type is the type of a column's values.
type Type int

const (
	String    Type = iota // string
	Bytes                 // []byte
	Int                   // int64
	Timestamp             // int64, nanoseconds since 1970 in UTC
	Float                 // float32
	Double                // float64
	Bool                  // bool
)

// physical has the numbers of the format for each Type.
var physical = [...]int{typeBytes, typeBytes, typeInt64, typeInt64, typeFloat, typeDouble, typeBoolean}

// Field describes a column or, with Fields, a struct of columns. Its value in a row is what Type says, or a []any with
// the values of Fields. It is nil where an optional field is absent, and a []any of such values for a list.
type Field struct {
	Name     string
	Type     Type
	Optional bool
	List     bool
	Fields   []Field
}

// Writer writes a file, plain and compressed with zstd. It isn't safe for concurrent use.
type Writer struct {
	w       io.Writer
	zstd    *zstd.Encoder
	off     int64
	root    *node
	leaves  []*node
	schema  [][]byte
	groups  [][]byte
	rows    int64 // in all groups
	pending int64 // of them, in no group yet
}

// node is a field in the tree of levels. A leaf collects a group's values.
type node struct {
	Field
	path     []string
	rep, def int // levels of a value
	children []*node

	count      int64
	reps, defs runs
	values     []byte
	bits       int // in values, of a Bool
}

// NewWriter begins a file whose rows have these columns.
func NewWriter(w io.Writer, columns []Field) (*Writer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	out := &Writer{w: w, zstd: enc}
	out.schema = append(out.schema, fields{}.text(4, "row").i32(5, len(columns)).end())
	out.root = &node{Field: Field{Fields: columns}}
	out.add(out.root)
	return out, out.write([]byte(magic))
}

// add adds the fields of n to the schema.
func (w *Writer) add(n *node) {
	for _, f := range n.Fields {
		c := &node{Field: f, path: append(n.path[:len(n.path):len(n.path)], f.Name), rep: n.rep, def: n.def}
		n.children = append(n.children, c)
		repetition := 0
		if f.Optional {
			repetition = 1
			c.def++
		}
		name := f.Name
		if f.List {
			w.schema = append(w.schema,
				fields{}.i32(3, repetition).text(4, name).i32(5, 1).i32(6, convertedList).structure(10, fields{}.structure(logicalList, fields{})).end(),
				fields{}.i32(3, 2).text(4, "list").i32(5, 1).end())
			c.rep, c.def, repetition, name = c.rep+1, c.def+1, 0, "element"
			c.path = append(c.path, "list", name)
		}
		if f.Fields != nil {
			w.schema = append(w.schema, fields{}.i32(3, repetition).text(4, name).i32(5, len(f.Fields)).end())
			w.add(c)
			continue
		}
		s := fields{}.i32(1, physical[f.Type]).i32(3, repetition).text(4, name)
		switch f.Type {
		case String:
			s = s.i32(6, convertedUTF8).structure(10, fields{}.structure(logicalString, fields{}))
		case Timestamp:
			utc := fields{}.field(1, thriftTrue).structure(2, fields{}.structure(unitNanos, fields{}))
			s = s.structure(10, fields{}.structure(logicalTimestamp, utc))
		}
		w.schema = append(w.schema, s.end())
		w.leaves = append(w.leaves, c)
	}
}

// Write writes a row, the values of the columns. After an error the file can't be continued.
func (w *Writer) Write(row []any) error {
	if err := w.root.structure(row, 0, 0); err != nil {
		return err
	}
	w.rows++
	w.pending++
	size := 0
	for _, l := range w.leaves {
		size += len(l.values)
	}
	if w.pending < groupRows && size < groupBytes {
		return nil
	}
	return w.flush()
}

// structure adds the values of a struct, at the level of repetition rep. def is the level of definition so far.
func (n *node) structure(v any, rep, def int) error {
	values, ok := v.([]any)
	if !ok || len(values) != len(n.children) {
		return fmt.Errorf("%s: %T with %d values, want %d", n.Name, v, len(values), len(n.children))
	}
	for i, c := range n.children {
		if err := c.add(values[i], rep, def); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) add(v any, rep, def int) error {
	if n.Optional {
		if v == nil {
			n.absent(rep, def)
			return nil
		}
		def++
	}
	if !n.List {
		return n.one(v, rep, def)
	}
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%s: %T, want a list", n.Name, v)
	}
	if len(list) == 0 {
		n.absent(rep, def)
	}
	for _, e := range list {
		if err := n.one(e, rep, def+1); err != nil {
			return err
		}
		rep = n.rep
	}
	return nil
}

// absent adds to all leaves that there is no value.
func (n *node) absent(rep, def int) {
	for _, c := range n.children {
		c.absent(rep, def)
	}
	if n.children == nil {
		n.level(rep, def)
	}
}

func (n *node) level(rep, def int) {
	n.count++
	n.reps.add(rep)
	n.defs.add(def)
}

// one adds a value of a column, or of each column of a struct.
func (n *node) one(v any, rep, def int) error {
	if n.children != nil {
		return n.structure(v, rep, def)
	}
	n.level(rep, def)
	ok := false
	le := binary.LittleEndian
	switch v := v.(type) {
	case string:
		ok = n.Type == String
		n.values = append(le.AppendUint32(n.values, uint32(len(v))), v...)
	case []byte:
		ok = n.Type == Bytes
		n.values = append(le.AppendUint32(n.values, uint32(len(v))), v...)
	case int64:
		ok = n.Type == Int || n.Type == Timestamp
		n.values = le.AppendUint64(n.values, uint64(v))
	case float32:
		ok = n.Type == Float
		n.values = le.AppendUint32(n.values, math.Float32bits(v))
	case float64:
		ok = n.Type == Double
		n.values = le.AppendUint64(n.values, math.Float64bits(v))
	case bool:
		ok = n.Type == Bool
		if n.bits%8 == 0 {
			n.values = append(n.values, 0)
		}
		if v {
			n.values[n.bits/8] |= 1 << (n.bits % 8)
		}
		n.bits++
	}
	if !ok {
		return fmt.Errorf("%s: a %T isn't a value of its type", n.Name, v)
	}
	return nil
}

// runs encodes levels as runs of one value.
type runs struct {
	b     []byte
	value int
	n     uint64
}

func (r *runs) add(level int) {
	if level != r.value {
		r.end()
		r.value = level
	}
	r.n++
}

func (r *runs) end() []byte {
	if r.n > 0 {
		r.b = append(binary.AppendUvarint(r.b, r.n<<1), byte(r.value))
		r.n = 0
	}
	return r.b
}

// flush writes the group of pending rows.
func (w *Writer) flush() error {
	if w.pending == 0 {
		return nil
	}
	var chunks [][]byte
	total := int64(0)
	for _, l := range w.leaves {
		meta, size, err := w.chunk(l)
		if err != nil {
			return err
		}
		chunks = append(chunks, meta)
		total += size
	}
	w.groups = append(w.groups, fields{}.list(1, thriftStruct, chunks).i64(2, total).i64(3, w.pending).end())
	w.pending = 0
	return nil
}

// chunk writes a column of the group in one page. It returns its description and its uncompressed size.
func (w *Writer) chunk(l *node) (meta []byte, size int64, err error) {
	var page []byte
	for _, levels := range []struct {
		highest int
		*runs
	}{{l.rep, &l.reps}, {l.def, &l.defs}} {
		if b := levels.end(); levels.highest > 0 {
			page = append(binary.LittleEndian.AppendUint32(page, uint32(len(b))), b...)
		}
	}
	page = append(page, l.values...)
	packed := w.zstd.EncodeAll(page, nil)
	data := fields{}.i32(1, int(l.count)).i32(2, encodingPlain).i32(3, encodingRLE).i32(4, encodingRLE)
	head := fields{}.i32(1, pageData).i32(2, len(page)).i32(3, len(packed)).structure(5, data).end()

	var path [][]byte
	for _, name := range l.path {
		path = append(path, counted(name))
	}
	encodings := [][]byte{binary.AppendVarint(nil, encodingPlain), binary.AppendVarint(nil, encodingRLE)}
	size = int64(len(head) + len(page))
	column := fields{}.i32(1, physical[l.Type]).list(2, thriftI32, encodings).list(3, thriftBytes, path).i32(4, codecZstd).i64(5, l.count).
		i64(6, size).i64(7, int64(len(head)+len(packed))).i64(9, w.off)
	meta = fields{}.i64(2, w.off).structure(3, column).end()

	l.count, l.bits, l.values, l.reps, l.defs = 0, 0, l.values[:0], runs{}, runs{}
	return meta, size, w.write(append(head, packed...))
}

// Close writes the rest of the rows and the description of the file. It doesn't close the writer below.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	meta := fields{}.i32(1, 1).list(2, thriftStruct, w.schema).i64(3, w.rows).list(4, thriftStruct, w.groups).text(6, "rs-ros-node").end()
	meta = binary.LittleEndian.AppendUint32(meta, uint32(len(meta)))
	return w.write(append(meta, magic...))
}

func (w *Writer) write(b []byte) error {
	n, err := w.w.Write(b)
	w.off += int64(n)
	return err
}
