package parquet

import (
	"encoding/binary"
	"errors"
)

// value is a value of Thrift's compact protocol: a number, bytes, a list or a struct.
type value struct {
	n      int64 // also of booleans
	bytes  []byte
	list   []value
	fields []field
}

type field struct {
	id int64
	value
}

// at returns a field, the zero value if there is none.
func (v value) at(id int64) value {
	for _, f := range v.fields {
		if f.id == id {
			return f.value
		}
	}
	return value{}
}

func (v value) has(id int64) bool {
	for _, f := range v.fields {
		if f.id == id {
			return true
		}
	}
	return false
}

var (
	errShort = errors.New("the metadata ends early")
	errDeep  = errors.New("the metadata is too large or nested too deeply")
	errType  = errors.New("the metadata has an unknown type")
)

const (
	maxNodes = 1 << 19 // values in one struct
	maxNest  = 16
)

// thrift decodes values. The first error stays.
type thrift struct {
	b     []byte
	nodes int
	err   error
}

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err, t.b = err, nil
	}
}

func (t *thrift) byte() byte {
	if len(t.b) == 0 {
		t.fail(errShort)
		return 0
	}
	c := t.b[0]
	t.b = t.b[1:]
	return c
}

func (t *thrift) uvarint() uint64 {
	n, size := binary.Uvarint(t.b)
	if size <= 0 {
		t.fail(errShort)
		return 0
	}
	t.b = t.b[size:]
	return n
}

func (t *thrift) varint() int64 {
	n := t.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (t *thrift) take(n uint64) []byte {
	if n > uint64(len(t.b)) {
		t.fail(errShort)
		return nil
	}
	out := t.b[:n]
	t.b = t.b[n:]
	return out
}

// structure decodes a struct.
func (t *thrift) structure(depth int) (v value) {
	id := int64(0)
	for t.err == nil {
		head := t.byte()
		if head == 0 {
			break
		}
		if delta := int64(head >> 4); delta != 0 {
			id += delta
		} else {
			id = t.varint()
		}
		v.fields = append(v.fields, field{id, t.value(head&15, depth, false)})
	}
	return v
}

// value decodes a value of a type. A boolean field has its value in its type.
func (t *thrift) value(typ byte, depth int, inList bool) (v value) {
	if t.nodes++; t.nodes > maxNodes || depth > maxNest {
		t.fail(errDeep)
		return v
	}
	switch typ {
	case 1, 2:
		v.n = int64(typ & 1)
		if inList {
			v.n = int64(t.byte() & 1)
		}
	case 3:
		v.n = int64(int8(t.byte()))
	case 4, 5, 6:
		v.n = t.varint()
	case 7:
		t.take(8)
	case 8:
		v.bytes = t.take(t.uvarint())
	case 9, 10:
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.uvarint()
		}
		for ; n > 0 && t.err == nil; n-- {
			v.list = append(v.list, t.value(head&15, depth+1, true))
		}
	case 12:
		return t.structure(depth + 1)
	default:
		t.fail(errType)
	}
	return v
}
