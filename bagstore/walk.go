package bagstore

import (
	"errors"
	"fmt"
)

// section is a source over a part of another one.
type section struct {
	src  source
	base int64
}

func (s section) at(off int64, n int) ([]byte, error) { return s.src.at(s.base+off, n) }

var errForeign = errors.New("not a message or connection record")

// walker goes through the records of a chunk's content.
type walker struct {
	bag *Bag
	// What is set is called for every connection record, and for every
	// message with the size of its data.
	onConnection func(r *record, data []byte) error
	onMessage    func(e entry, size int64)
}

// walk appends an entry for each whole message in src[:size]. It stops at the
// first record that is damaged or has no place in a chunk, and returns the
// offset behind the last whole record with the reason.
func (w walker) walk(src source, size int64, to []entry) ([]entry, int64, error) {
	pos := int64(0)
	for pos < size {
		var r record
		if err := readRecord(src, pos, size, &r); err != nil {
			return to, pos, err
		}
		switch {
		case w.bag.version == "1.2":
			if id, ok := w.bag.topics12[string(r.topic)]; ok && r.op == opMessage {
				to = w.message(to, entry{NewTime(r.sec, r.nsec), uint32(pos), id}, &r)
			}
		case r.op == opMessage:
			if err := r.need(hasConn | hasTime); err != nil {
				return to, pos, err
			}
			to = w.message(to, entry{r.time, uint32(pos), r.conn}, &r)
		case r.op == opConnection:
			if err := w.connection(src, r); err != nil {
				return to, pos, err
			}
		case r.op == opIndex, r.op == opChunk, r.op == opChunkInfo, r.op == opFileHeader:
			return to, pos, fmt.Errorf("%w: %s", errForeign, opName(r.op))
		}
		pos = r.next()
	}
	return to, pos, nil
}

func (w walker) message(to []entry, e entry, r *record) []entry {
	if w.onMessage != nil {
		w.onMessage(e, r.dataLen)
	}
	return append(to, e)
}

func (w walker) connection(src source, r record) error {
	if w.onConnection == nil {
		return nil
	}
	data, err := w.bag.recordData(src, &r)
	if err != nil {
		return err
	}
	return w.onConnection(&r, data)
}
