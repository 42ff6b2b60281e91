package wire

import (
	"encoding/binary"
	"net"
)

// MessageReader reads the messages of a topic from a connection: a u32 length and that
// many bytes, again and again. It is for one goroutine.
//
// Small messages are read many at a time. A large one is read from the socket to where
// it stays, and the reader is woken only when a good part of it is there.
type MessageReader struct {
	conn  *inlet
	batch []byte // for small messages
	ahead []byte // of batch: read and not yet taken
	large bool   // the last message was: the next one is likely to be, and isn't read ahead
	most  int    // bytes of the largest message that has arrived
}

const (
	// batchBytes is how much is read ahead.
	batchBytes = 64 << 10
	// prefixBytes is the length of a message's length.
	prefixBytes = 4
)

// NewMessageReader returns a reader of conn, which nothing else may read from then on.
func NewMessageReader(conn net.Conn) *MessageReader {
	return &MessageReader{conn: newInlet(conn), batch: make([]byte, batchBytes)}
}

// Next reads the length of the next message. The end of the connection is io.EOF, and
// within a message io.ErrUnexpectedEOF.
func (m *MessageReader) Next() (size int64, err error) {
	most := len(m.batch)
	if m.large {
		most = prefixBytes
	}
	for len(m.ahead) < prefixBytes {
		if err := m.more(most); err != nil {
			return 0, err
		}
	}
	size = int64(binary.LittleEndian.Uint32(m.ahead))
	m.ahead = m.ahead[prefixBytes:]
	m.large = size > batchBytes
	return size, nil
}

// Read reads the n bytes of a message into b[:0] or, if that is too small, into memory
// that grow returns, of at least the length it is asked for. The result is what b has
// become, also after an error.
func (m *MessageReader) Read(n int, b []byte, grow func(n int) []byte) ([]byte, error) {
	b, err := readGrowing(m.fill, b, n, max(firstGrowth, m.most), grow)
	if err == nil {
		m.most = max(m.most, n)
	}
	return b, err
}

// Skip forgets the n bytes of a message.
func (m *MessageReader) Skip(n int64) error {
	for n > int64(len(m.ahead)) {
		n -= int64(len(m.ahead))
		m.ahead = nil
		if err := m.more(len(m.batch)); err != nil {
			return noEOF(err)
		}
	}
	m.ahead = m.ahead[n:]
	return nil
}

// fill fills p with bytes of the message.
func (m *MessageReader) fill(p []byte) error {
	p = p[m.take(p):]
	for len(p) > 0 {
		if !m.large {
			if err := m.more(len(m.batch)); err != nil {
				return err
			}
			p = p[m.take(p):]
			continue
		}
		n, err := m.conn.read(p, len(p))
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// take moves what is ahead to p.
func (m *MessageReader) take(p []byte) int {
	n := copy(p, m.ahead)
	m.ahead = m.ahead[n:]
	return n
}

// more reads what has arrived, at least a byte, so that at most that many are ahead.
func (m *MessageReader) more(most int) error {
	have := copy(m.batch, m.ahead)
	n, err := m.conn.read(m.batch[have:most], 1)
	m.ahead = m.batch[:have+n]
	if have > 0 {
		return noEOF(err)
	}
	return err
}
