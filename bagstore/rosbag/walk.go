package rosbag

import (
	"fmt"

	"rsros/bagstore"
	"rsros/bagstore/internal/bagrecord"
	"rsros/bagstore/internal/memory"
)

type walker struct {
	bag *File
	// onConnection and onMessage, if set, are called for every connection record and message, whose
	// data are in src. An error ends the walk.
	onConnection func(r *bagrecord.Record, data []byte) error
	onMessage    func(src bagrecord.Source, r *bagrecord.Record, e bagstore.Entry) error
	most         int // messages; 0: any number
	expected     int // messages, so that the list of them needn't grow
	// unwritten, if not 0, is the offset of the zeros that end a torn chunk: an empty message whose
	// length is among these is incomplete.
	unwritten int64
}

// leastMessage is the size of the smallest message record.
const leastMessage = 46

// walk returns an Entry for each whole message in src[:size]. At a damaged or foreign record it
// returns the offset after the last whole record and an error.
func (w walker) walk(src bagrecord.Source, size int64) (to []bagstore.Entry, pos int64, err error) {
	if n := min(int64(w.expected), size/leastMessage); n > 0 {
		to = make([]bagstore.Entry, 0, n)
	}
	for pos < size {
		var r bagrecord.Record
		if err := bagrecord.Read(src, pos, size, &r); err != nil {
			return to, pos, err
		}
		e, ok, err := w.entry(&r, pos)
		switch {
		case err != nil:
			return to, pos, err
		case ok && r.DataLen == 0 && w.unwritten > 0 && r.DataPos > w.unwritten:
			return to, pos, errUnwritten
		case ok && w.most > 0 && len(to) == w.most:
			return to, pos, memory.ErrMessages
		case ok:
			to = append(to, e)
			if w.onMessage == nil {
				break
			}
			if err := w.onMessage(src, &r, e); err != nil {
				return to, pos, err
			}
		case w.bag.version == "1.2": // other records are allowed
		case r.Op == bagrecord.OpConnection:
			if err := w.connection(src, r); err != nil {
				return to, pos, err
			}
		case r.Op == bagrecord.OpIndex, r.Op == bagrecord.OpChunk, r.Op == bagrecord.OpChunkInfo,
			r.Op == bagrecord.OpFileHeader:
			return to, pos, fmt.Errorf("%w: %s", errForeign, bagrecord.OpName(r.Op))
		}
		pos = r.Next()
	}
	return to, pos, nil
}

// entry returns a message's index Entry. ok is false for other records, and unknown topics of a 1.2 bag.
func (w walker) entry(r *bagrecord.Record, pos int64) (e bagstore.Entry, ok bool, err error) {
	if r.Op != bagrecord.OpMessage {
		return e, false, nil
	}
	if w.bag.version == "1.2" {
		id, known := w.bag.topics12[string(r.Topic)]
		return bagstore.Entry{Time: bagstore.NewTime(r.Sec, r.Nsec), Ref: uint32(pos), Conn: id}, known, nil
	}
	return bagstore.Entry{Time: bagstore.Time(r.Time), Ref: uint32(pos), Conn: r.Conn}, true,
		r.Need(bagrecord.HasConn | bagrecord.HasTime)
}

func (w walker) connection(src bagrecord.Source, r bagrecord.Record) error {
	if w.onConnection == nil {
		return nil
	}
	data, err := r.Data(src)
	if err != nil {
		return err
	}
	return w.onConnection(&r, data)
}
