package proof

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Kind is the kind of a frame of the log. Wire constants.
type Kind byte

// The kinds. A root and a rewind are no leaves of the tree.
const (
	KindHeader     Kind = 'H'
	KindConnection Kind = 'N'
	KindChunk      Kind = 'C'
	KindSection    Kind = 'S'
	kindRoot       Kind = 'R'
	kindRewind     Kind = 'B'
)

// Header is the first leaf. It names the recording.
type Header struct {
	ID   [16]byte // random
	Name string   // of the recording's file, without folder
}

// Connection is a connection of the recording.
type Connection struct {
	ID          uint32
	Topic, Type string
	Digest      Digest // of all that describes it, without the ID
}

// Chunk is a chunk and the index records after it.
type Chunk struct {
	Pos          int64 // in the recording
	Compression  string
	Size, Stored int64  // bytes uncompressed, and in the file
	Content      Digest // by Hasher
	IndexSize    uint32
	Index        Digest    // of the index records
	Messages     []Message // in the order of the chunk
}

// Message is a message of a chunk.
type Message struct {
	Conn uint32
	Time int64 // nanoseconds since 1970
	Data Digest
}

// Section is an index section and the padding after it.
type Section struct {
	Pos, Size     int64
	Pad           uint32 // length of the padding record
	Conns, Chunks uint32 // number of its records
	Digest        Digest
}

// maxTopic bounds names in leaves.
const maxTopic = 1 << 20

// leastLeaf is the length of the shortest leaf but the header. It bounds how many leaves a file can have.
const leastLeaf = 32

type encoder struct{ b []byte }

func (e *encoder) uint(v uint64)   { e.b = binary.AppendUvarint(e.b, v) }
func (e *encoder) int(v int64)     { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) digest(d Digest) { e.b = append(e.b, d[:]...) }
func (e *encoder) string(s string) { e.uint(uint64(len(s))); e.b = append(e.b, s...) }
func (e *encoder) Header(h Header) { e.b = append(e.b, h.ID[:]...); e.string(h.Name) }
func (e *encoder) Section(s Section) {
	e.uint(uint64(s.Pos))
	e.uint(uint64(s.Size))
	e.uint(uint64(s.Pad))
	e.uint(uint64(s.Conns))
	e.uint(uint64(s.Chunks))
	e.digest(s.Digest)
}

func (e *encoder) Connection(c Connection) {
	e.uint(uint64(c.ID))
	e.string(c.Topic)
	e.string(c.Type)
	e.digest(c.Digest)
}

func (e *encoder) Chunk(c *Chunk) {
	e.uint(uint64(c.Pos))
	e.string(c.Compression)
	e.uint(uint64(c.Size))
	e.uint(uint64(c.Stored))
	e.digest(c.Content)
	e.uint(uint64(c.IndexSize))
	e.digest(c.Index)
	e.uint(uint64(len(c.Messages)))
	last := int64(0)
	for i := range c.Messages {
		m := &c.Messages[i]
		e.uint(uint64(m.Conn))
		e.int(m.Time - last)
		last = m.Time
		e.digest(m.Data)
	}
}

// decoder reads the fields of a leaf. After the first error all fields are zero.
type decoder struct {
	b   []byte
	err error
}

var errLeaf = errors.New("the leaf is cut off or has impossible values")

func (d *decoder) fail() { d.b, d.err = nil, errLeaf }

func (d *decoder) uint(most uint64) uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || v > most {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) bytes(n int) []byte {
	if len(d.b) < n {
		d.fail()
		return make([]byte, n)
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) digest() Digest { return Digest(d.bytes(len(Digest{}))) }

func (d *decoder) string() string {
	n := d.uint(uint64(min(maxTopic, len(d.b))))
	return string(d.bytes(int(n)))
}

func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		return fmt.Errorf("the leaf has %d bytes too many", len(d.b))
	}
	return d.err
}

func (d *decoder) Header() Header {
	return Header{ID: [16]byte(d.bytes(16)), Name: d.string()}
}

func (d *decoder) Connection() Connection {
	return Connection{ID: uint32(d.uint(math.MaxUint32)), Topic: d.string(), Type: d.string(), Digest: d.digest()}
}

func (d *decoder) Section() Section {
	return Section{Pos: int64(d.uint(math.MaxInt64)), Size: int64(d.uint(math.MaxInt64)), Pad: uint32(d.uint(math.MaxUint32)),
		Conns: uint32(d.uint(math.MaxUint32)), Chunks: uint32(d.uint(math.MaxUint32)), Digest: d.digest()}
}

// leastMessage is the length of the shortest message in a leaf.
const leastMessage = 2 + 32

// Chunk decodes into c, whose messages it reuses.
func (d *decoder) Chunk(c *Chunk) {
	*c = Chunk{Pos: int64(d.uint(math.MaxInt64)), Compression: d.string(), Size: int64(d.uint(math.MaxUint32)),
		Stored: int64(d.uint(math.MaxUint32)), Content: d.digest(), IndexSize: uint32(d.uint(math.MaxUint32)), Index: d.digest(), Messages: c.Messages[:0]}
	last := int64(0)
	for range d.uint(uint64(len(d.b) / leastMessage)) {
		m := Message{Conn: uint32(d.uint(math.MaxUint32)), Time: last + d.int(), Data: d.digest()}
		if d.err != nil {
			return
		}
		last = m.Time
		c.Messages = append(c.Messages, m)
	}
}
