package mcap

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"slices"
)

var wire = binary.LittleEndian

func appendRecord(b []byte, op opcode, content []byte) []byte {
	return append(appendHead(b, op, len(content)), content...)
}

// appendHead appends the head of a record with n bytes of content.
func appendHead(b []byte, op opcode, n int) []byte {
	return wire.AppendUint64(append(b, byte(op)), uint64(n))
}

func appendText(b []byte, s string) []byte { return append(wire.AppendUint32(b, uint32(len(s))), s...) }

// appendTexts appends a map, sorted, so that the same content makes the same bytes.
func appendTexts(b []byte, m map[string]string) []byte {
	var in []byte
	for _, key := range slices.Sorted(maps.Keys(m)) {
		in = appendText(appendText(in, key), m[key])
	}
	return append(wire.AppendUint32(b, uint32(len(in))), in...)
}

// output counts and sums up what is written. After an error it writes nothing more.
type output struct {
	w   io.Writer
	pos uint64
	sum uint32 // CRC of the section
	err error  // the first one
}

func (o *output) Write(p []byte) (int, error) {
	n := o.write(p)
	o.sum = crc32.Update(o.sum, crc32.IEEETable, p[:n])
	return n, o.err
}

// put is Write whose error is o.err.
func (o *output) put(p []byte) { _, _ = o.Write(p) }

// putSummed writes parts, of which sum is the checksum, without reading them once more.
func (o *output) putSummed(sum uint32, parts ...[]byte) {
	from := o.pos
	for _, p := range parts {
		o.write(p)
	}
	o.sum = joinSums(o.sum, sum, int64(o.pos-from))
}

func (o *output) write(p []byte) (n int) {
	if o.err == nil {
		n, o.err = o.w.Write(p)
		o.pos += uint64(n)
	}
	return n
}
