package wire

import (
	"encoding/binary"
	"io"
	"net"

	"rsros/program/recvbuf"
)

// MessageReader reads the messages of a topic from a connection, each a u32 length and
// that many bytes. It is for one goroutine.
//
// Small messages are read many at a time. A large one is read from the socket into its
// final memory, and the reader is woken only when a large part of it has arrived.
type MessageReader struct {
	conn  *inlet
	batch []byte // for small messages
	ahead []byte // the unread part of batch
	large bool   // the last message was large: the next is likely to be, so don't read ahead
	most  int    // size of the largest message so far
}

const (
	// batchBytes is the size of the read-ahead buffer.
	batchBytes = 64 << 10
	// prefixBytes is the size of the length prefix.
	prefixBytes = 4
)

// NewMessageReader returns a reader of conn. Nothing else may read from conn afterwards.
func NewMessageReader(conn net.Conn) *MessageReader {
	return &MessageReader{conn: newInlet(conn), batch: make([]byte, batchBytes)}
}

// Next reads the length of the next message. It returns io.EOF at the end of the
// connection, and io.ErrUnexpectedEOF within a message.
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

// firstGrowth is the memory allocated before the first byte of a message has arrived, unless an
// earlier message was larger.
const firstGrowth = 1 << 20

// Read reads the n bytes of a message into b, which grows if it is too small.
//
// Memory grows as the bytes arrive: it doubles, and gets its full size when a quarter has arrived. So a claimed length
// alone costs no memory, and a large message little more than its own size.
func (m *MessageReader) Read(n int, b *recvbuf.Buffer) error {
	for have := 0; ; {
		size := min(n, max(cap(b.Data), firstGrowth, m.most, 2*have))
		if have >= n/4 && have > 0 {
			size = max(n, cap(b.Data))
		}
		if size > cap(b.Data) {
			b.Data = append(b.Memory(size)[:0], b.Data[:have]...)
		}
		b.Data = b.Data[:min(n, cap(b.Data))]
		if err := m.fill(b.Data[have:]); err != nil {
			return noEOF(err)
		}
		if have = len(b.Data); have == n {
			m.most = max(m.most, n)
			return nil
		}
	}
}

// noEOF turns io.EOF within a message into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// AppendSized appends data after its u32 length.
func AppendSized(b, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(data))), data...)
}

// Skip discards the n bytes of a message.
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

// take copies read-ahead bytes to p.
func (m *MessageReader) take(p []byte) int {
	n := copy(p, m.ahead)
	m.ahead = m.ahead[n:]
	return n
}

// more reads at least one byte, so that at most most bytes are read ahead.
func (m *MessageReader) more(most int) error {
	have := copy(m.batch, m.ahead)
	n, err := m.conn.read(m.batch[have:most], 1)
	m.ahead = m.batch[:have+n]
	if have > 0 {
		return noEOF(err)
	}
	return err
}
