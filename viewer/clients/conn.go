package clients

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"rsros/program/work"
)

const (
	silence      = 30 * time.Second // a client that sends nothing for so long, not even answers to pings, is disconnected
	stall        = 30 * time.Second // a client that takes nothing for so long is disconnected
	slowestRate  = 128 << 10        // bytes a second that a client has to take
	closeTime    = time.Second      // for the close frames of both sides, and what is under way before them
	frameBytes   = 256 << 10        // of a frame; pings and answers to them are sent between two frames
	reusedBytes  = 64 << 10         // memory for messages that is used again
	unsentBytes  = 128 << 10        // that the kernel may hold unsent: what is late can still be replaced
	reasonLength = 123              // bytes of the reason in a close frame
)

// conn bounds the time that reads and writes wait.
type conn struct {
	net.Conn
	silence, stall time.Duration

	mu      sync.Mutex
	closing bool
}

func (c *conn) Read(b []byte) (int, error) {
	c.mu.Lock()
	if !c.closing {
		c.SetReadDeadline(time.Now().Add(c.silence)) //nolint:errcheck // a closed connection shows in the read
	}
	c.mu.Unlock()
	return c.Conn.Read(b)
}

func (c *conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	if !c.closing {
		patience := c.stall + time.Duration(len(b))*time.Second/slowestRate
		c.SetWriteDeadline(time.Now().Add(patience)) //nolint:errcheck // as above
	}
	c.mu.Unlock()
	return c.Conn.Write(b)
}

// hurry leaves reads and writes closeTime from now.
func (c *conn) hurry() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		c.closing = true
		c.SetDeadline(time.Now().Add(closeTime)) //nolint:errcheck // a closed connection ends them itself
	}
}

// hangUp closes the connection at once, unless it is being closed.
func (c *conn) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		c.Conn.Close() //nolint:errcheck // nobody is left to tell
	}
}

// upgrader is a ResponseWriter whose Hijack returns c with the request's connection.
type upgrader struct {
	http.ResponseWriter
	c *conn
}

// Hijack implements http.Hijacker.
func (u upgrader) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	inner, buffered, err := http.NewResponseController(u.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	u.c.Conn = inner
	if tcp, ok := inner.(*net.TCPConn); ok {
		limitUnsent(tcp, unsentBytes) //nolint:errcheck // older images without
	}
	return u.c, bufio.NewReadWriter(buffered.Reader, bufio.NewWriter(u.c)), nil
}

// Offered lists the WebSocket subprotocols that a client speaks.
func Offered(r *http.Request) []string {
	list := strings.Split(strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ","), ",")
	for i, name := range list {
		list[i] = strings.TrimSpace(name)
	}
	return list
}

// upgrade answers a request by switching to WebSocket, without compression: images hardly become
// smaller. An error has been answered.
func (c *Client) upgrade(w http.ResponseWriter, r *http.Request, maxMessage int64, subprotocols []string) (err error) {
	offered := Offered(r)
	if !slices.ContainsFunc(subprotocols, func(s string) bool { return slices.Contains(offered, s) }) {
		err := fmt.Errorf("the client offers the WebSocket subprotocols %q, expected one of %q", offered, subprotocols)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return err
	}
	c.address, c.maxMessage, c.conn = r.RemoteAddr, maxMessage, &conn{silence: silence, stall: stall}
	// Package guard has checked the origin.
	options := websocket.AcceptOptions{Subprotocols: subprotocols, InsecureSkipVerify: true}
	if c.ws, err = websocket.Accept(upgrader{w, c.conn}, r, &options); err == nil {
		c.ws.SetReadLimit(maxMessage)
	}
	return err
}

// receive returns the client's next message, which is valid until the next call. Memory for it grows
// with what has arrived, and the budget lends it above reusedBytes.
func (c *Client) receive() (websocket.MessageType, []byte, error) {
	if cap(c.message) > reusedBytes {
		c.message = nil
		c.giveBack()
	}
	kind, r, err := c.ws.Reader(context.Background())
	b := c.message[:0]
	for err == nil {
		if len(b) == cap(b) {
			size := min(max(4<<10, 2*cap(b)), int(c.maxMessage)+1) // a byte more, to see the end
			if size > reusedBytes && !c.lend(int64(size)) {
				return 0, nil, c.Close(websocket.StatusTryAgainLater, "too much is being received at once")
			}
			b = append(make([]byte, 0, size), b...)
		}
		n := 0
		n, err = r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
	}
	c.message = b
	if !errors.Is(err, io.EOF) || r == nil {
		return 0, nil, err
	}
	if kind == websocket.MessageText && !utf8.Valid(b) {
		return 0, nil, c.Close(websocket.StatusInvalidFramePayloadData, "a text message isn't UTF-8")
	}
	return kind, b, nil
}

// lend takes the memory of a large message from the budget.
func (c *Client) lend(size int64) bool {
	c.reading.CompareAndSwap(0, time.Now().UnixNano())
	ok := c.Reserve(size - c.lent)
	if ok {
		c.lent = size
	}
	return ok
}

// giveBack returns the memory of a large message to the budget.
func (c *Client) giveBack() {
	c.Unreserve(c.lent)
	c.lent = 0
}

// writeMessage sends the parts as one message. Frames are written from the parts' own memory, apart from
// small messages, which are one frame.
func (c *Client) writeMessage(kind websocket.MessageType, size int, parts [][]byte) error {
	ctx := context.Background() // conn bounds the time
	if size <= reusedBytes {
		c.joined = c.joined[:0]
		for _, p := range parts {
			c.joined = append(c.joined, p...)
		}
		return c.ws.Write(ctx, kind, c.joined)
	}
	w, err := c.ws.Writer(ctx, kind)
	if err != nil {
		return err
	}
	for _, p := range parts {
		for frame := range slices.Chunk(p, frameBytes) {
			if _, err := w.Write(frame); err != nil {
				return err
			}
		}
	}
	return w.Close()
}

// ping sends pings until the connection ends. A client that answers none is silent.
func (c *Client) ping() error {
	work.Every(c.ctx, pingTime, func(time.Time) {
		c.ws.Ping(c.ctx) //nolint:errcheck // as above
	})
	return nil
}

// Close sends the client the reason, waits for its answer for at most a second, and ends the
// connection. It returns the reason as an error.
func (c *Client) Close(status websocket.StatusCode, reason string) error {
	err := errors.New(reason)
	if len(reason) > reasonLength {
		reason = strings.ToValidUTF8(reason[:reasonLength], "")
	}
	c.hangUp(status, reason, err)
	return err
}

// hangUp ends the connection with err. The client gets the status if it wasn't sent one before.
func (c *Client) hangUp(status websocket.StatusCode, reason string, err error) {
	c.conn.hurry()
	c.fail(err)
	c.ws.Close(status, reason) //nolint:errcheck // the client has gone
}
