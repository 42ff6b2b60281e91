package websocket

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosing means that the connection has been closed by [Conn.Close] or by the
// client, and that nothing more is sent.
var ErrClosing = errors.New("the WebSocket is closing")

// Conn is a connection to one client.
type Conn struct {
	conn        net.Conn
	subprotocol string
	options     Options

	in reader

	writing sync.Mutex
	vec     net.Buffers // of the present Write
	all     net.Buffers // its memory
	head    [maxHead]byte
	failed  error // no more may be written; guarded by writing

	pong    atomic.Pointer[[]byte] // an answer that waits for its turn
	closing atomic.Bool
}

// newConn makes a connection of one that has been upgraded. What the client sent
// along with its request is in early.
func newConn(conn net.Conn, early *bufio.Reader, subprotocol string, options Options) *Conn {
	c := &Conn{conn: conn, subprotocol: subprotocol, options: options}
	sent, _ := early.Peek(early.Buffered()) // what is buffered is there
	c.in = reader{from: bufio.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(sent)), idleReader{c})), limit: options.MaxMessage, memory: options.Memory}
	return c
}

// idleReader reads from the connection, and waits for a byte up to Options.Silence.
type idleReader struct{ c *Conn }

func (p idleReader) Read(b []byte) (int, error) {
	c := p.c
	if !c.closing.Load() { // Close has set a nearer deadline
		c.conn.SetReadDeadline(time.Now().Add(c.options.Silence)) //nolint:errcheck // a closed connection shows in the read
		if c.closing.Load() {
			c.conn.SetReadDeadline(time.Now().Add(closePatience)) //nolint:errcheck // as above
		}
	}
	return c.conn.Read(b)
}

// Subprotocol is the one that was chosen, or "" if the server names none.
func (c *Conn) Subprotocol() string { return c.subprotocol }

// RemoteAddr is the client's address.
func (c *Conn) RemoteAddr() net.Addr { return c.conn.RemoteAddr() }

// Read returns the client's next message, which is valid until the next Read. It
// answers pings meanwhile. Every error is the end of the connection: a *[ClosedError]
// if the client closed it, a *[FailedError] if the client broke the protocol, which it
// has been told, or io.EOF if the client just left.
func (c *Conn) Read() (Kind, []byte, error) {
	for {
		opcode, payload, err := c.in.next()
		if err != nil {
			return 0, nil, c.readFailed(err)
		}
		switch opcode {
		case byte(Text), byte(Binary):
			if !c.closing.Load() {
				return Kind(opcode), payload, nil
			}
		case opPing:
			c.answer(payload)
		case opClose:
			closed, err := parseClose(payload)
			if err != nil {
				return 0, nil, c.readFailed(err)
			}
			c.Close(closed.Status, closed.Reason)
			return 0, nil, closed
		}
	}
}

// readFailed closes the connection with a status if the client broke the protocol.
func (c *Conn) readFailed(err error) error {
	var failed *FailedError
	switch {
	case errors.As(err, &failed):
		c.Close(failed.Status, failed.Reason)
		io.CopyN(io.Discard, c.in.from, drainBytes) //nolint:errcheck // so that the client reads why before its connection is reset
	case !errors.Is(err, io.EOF):
		err = fmt.Errorf("read from a WebSocket: %w", err)
	}
	return err
}

// Write sends one message, which is all parts in a row, with one writev; more only
// if the kernel doesn't take all of it at once. It waits until the kernel has taken
// everything, up to [Options.Stall]. The parts may be used again when it returns. After
// an error nothing more can be sent.
func (c *Conn) Write(kind Kind, parts ...[]byte) error {
	c.writing.Lock()
	err := c.send(byte(kind), parts)
	c.writing.Unlock()
	c.answerPing()
	return err
}

// Ping sends a ping. Read takes the answer.
func (c *Conn) Ping() error {
	c.writing.Lock()
	err := c.send(opPing, nil)
	c.writing.Unlock()
	c.answerPing()
	return err
}

// answer sends a pong, or leaves it to the Write that is under way. Of several pings
// that wait, the last one is answered, as the protocol allows.
func (c *Conn) answer(ping []byte) {
	waiting := bytes.Clone(ping)
	c.pong.Store(&waiting)
	c.answerPing()
}

// answerPing sends the pong that waits. If another goroutine is writing, that one
// checks again afterwards.
func (c *Conn) answerPing() {
	for c.pong.Load() != nil && c.writing.TryLock() {
		if waiting := c.pong.Swap(nil); waiting != nil {
			c.send(opPong, [][]byte{*waiting}) //nolint:errcheck // shows in the next Write or Read
		}
		c.writing.Unlock()
	}
}

// send writes one frame. Callers hold writing.
func (c *Conn) send(opcode byte, parts [][]byte) error {
	if c.failed != nil {
		return c.failed
	}
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	c.all = append(c.all[:0], appendHead(c.head[:0], opcode, size))
	for _, p := range parts {
		if len(p) > 0 {
			c.all = append(c.all, p)
		}
	}
	if !c.closing.Load() { // Close has set a nearer deadline
		patience := c.options.Stall + time.Duration(size)*time.Second/slowestRate
		c.conn.SetWriteDeadline(time.Now().Add(patience)) //nolint:errcheck // a closed connection shows in the write
		if c.closing.Load() {
			c.limitWrites()
		}
	}
	c.vec = c.all
	_, err := c.vec.WriteTo(c.conn)
	c.vec = nil
	clear(c.all) // holds no message alive
	switch {
	case err != nil:
		c.failed = fmt.Errorf("write to a WebSocket: %w", err)
	case opcode == opClose:
		c.failed = ErrClosing
		return nil
	}
	return c.failed
}

const (
	closePatience = time.Second // for the close frames of both sides
	drainBytes    = 1 << 20     // read after a failure
)

// Close sends the client the reason and waits for a Write that is under
// way, both together for a second at most. Then nothing more is sent, and Read returns
// an error within about a second. It may be called often; only the first call counts.
func (c *Conn) Close(status Status, reason string) {
	if c.closing.Swap(true) {
		return
	}
	c.limitWrites()
	c.conn.SetReadDeadline(time.Now().Add(closePatience)) //nolint:errcheck // a closed connection ends reads itself
	c.writing.Lock()
	defer c.writing.Unlock()
	c.send(opClose, [][]byte{closePayload(status, reason)}) //nolint:errcheck // the client has gone
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		half.CloseWrite() //nolint:errcheck // as above
	}
}

// limitWrites bounds what a Write may still wait.
func (c *Conn) limitWrites() {
	c.conn.SetWriteDeadline(time.Now().Add(closePatience)) //nolint:errcheck // a closed connection ends writes itself
}

// HangUp ends the connection at once, and with it Reads and Writes that are under
// way. It may be called often.
func (c *Conn) HangUp() {
	c.closing.Store(true)
	c.conn.Close() //nolint:errcheck // a second time
}
