package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	walMagic   = 0x377f0682 // the last bit is the byte order of the checksums
	walVersion = 3007000
	walHeader  = 32
	walFrame   = 24 // before each page
)

// OpenWAL reads a write-ahead log as far as it is whole and committed. The log and the database stay the caller's.
func OpenWAL(db io.ReaderAt, size int64, log io.ReaderAt, logSize int64) (*Overlay, error) {
	w := newOverlay(db, size, log)
	head := make([]byte, walHeader)
	if _, err := readAt(log, head, 0); err != nil {
		return nil, fmt.Errorf("header of the write-ahead log: %w", err)
	}
	magic := binary.BigEndian.Uint32(head)
	if magic&^1 != walMagic || binary.BigEndian.Uint32(head[4:]) != walVersion {
		return nil, errors.New("header of the write-ahead log: its version is not that of SQLite 3.7")
	}
	if err := w.setPage(binary.BigEndian.Uint32(head[8:])); err != nil {
		return nil, fmt.Errorf("header of the write-ahead log: %w", err)
	}
	sum := checksum{order: binary.LittleEndian}
	if magic&1 == 1 {
		sum.order = binary.BigEndian
	}
	sum.add(head[:24])
	if !sum.is(head[24:]) {
		return nil, errors.New("header of the write-ahead log: the checksum is wrong")
	}
	return w, w.frames(head[16:24], sum, logSize)
}

// frames adds the pages of all complete transactions. The rest of an older log may follow.
func (o *Overlay) frames(salt []byte, sum checksum, logSize int64) error {
	frame := make([]byte, walFrame+o.page)
	open := make(map[uint32]int64) // of the transaction that isn't committed yet
	for at := int64(walHeader); at+int64(len(frame)) <= logSize; at += int64(len(frame)) {
		if _, err := readAt(o.side, frame, at); err != nil {
			return fmt.Errorf("write-ahead log at byte %d: %w", at, err)
		}
		sum.add(frame[:8])
		sum.add(frame[walFrame:])
		if string(frame[8:16]) != string(salt) || !sum.is(frame[16:]) {
			return nil
		}
		open[binary.BigEndian.Uint32(frame)] = at + walFrame
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 {
			for page, at := range open {
				o.pages[page] = at
			}
			clear(open)
			if err := o.possible(pages); err != nil {
				return fmt.Errorf("write-ahead log at byte %d: %w", at, err)
			}
			o.size = int64(pages) * o.page
		}
	}
	return nil
}

// checksum is that of the log, over words of 32 bits.
type checksum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

func (c *checksum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		c.s0 += c.order.Uint32(b) + c.s1
		c.s1 += c.order.Uint32(b[4:]) + c.s0
	}
}

func (c *checksum) is(stored []byte) bool {
	return c.s0 == binary.BigEndian.Uint32(stored) && c.s1 == binary.BigEndian.Uint32(stored[4:])
}
