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

// errUnwritten: see walker.unwritten.
var errUnwritten = errors.New("the length of a message was not written")

var errForeign = errors.New("not a message or connection record")

// walker goes through the records of a chunk's content.
type walker struct {
	bag *Bag
	// What is set is called for every connection record, and for every message
	// with the source to read its data from. An error ends the walk.
	onConnection func(r *record, data []byte) error
	onMessage    func(src source, r *record, e entry) error
	// unwritten is where the zeros begin that end a torn chunk, if it is set. A message
	// without data whose length is one of them was only begun: its header may end in
	// zeros, too.
	unwritten int64
}

// walk appends an entry for each whole message in src[:size]. It stops at the
// first record that is damaged or has no place in a chunk, and returns the
// offset after the last whole record with the reason.
func (w walker) walk(src source, size int64, to []entry) ([]entry, int64, error) {
	pos := int64(0)
	for pos < size {
		var r record
		if err := readRecord(src, pos, size, &r); err != nil {
			return to, pos, err
		}
		e, ok, err := w.entry(&r, pos)
		switch {
		case err != nil:
			return to, pos, err
		case ok && r.dataLen == 0 && w.unwritten > 0 && r.dataPos > w.unwritten:
			return to, pos, errUnwritten
		case ok:
			to = append(to, e)
			if w.onMessage == nil {
				break
			}
			if err := w.onMessage(src, &r, e); err != nil {
				return to, pos, err
			}
		case w.bag.version == "1.2": // anything else may be there
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

// entry is a record's entry in an index; ok tells whether it is a message that
// belongs there.
func (w walker) entry(r *record, pos int64) (e entry, ok bool, err error) {
	if r.op != opMessage {
		return e, false, nil
	}
	if w.bag.version == "1.2" {
		id, known := w.bag.topics12[string(r.topic)]
		return entry{NewTime(r.sec, r.nsec), uint32(pos), id}, known, nil
	}
	return entry{r.time, uint32(pos), r.conn}, true, r.need(hasConn | hasTime)
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
