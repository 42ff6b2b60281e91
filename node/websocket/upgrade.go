package websocket

import (
	"crypto/sha1" //nolint:gosec // the protocol's; it protects nothing
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Options say how a connection is made and what a client may do.
type Options struct {
	// Subprotocols are those that the server speaks, the preferred one first. If
	// there are any, a client that offers none of them is refused.
	Subprotocols []string

	// MaxMessage is the largest message that is read, in bytes. Default 1 MiB.
	MaxMessage int64

	// Silence is how long Read waits for a byte of the client; after that the
	// connection has failed. The caller has to send pings more often. Default 30 s.
	Silence time.Duration

	// Stall is how long a Write may wait for a client that takes nothing. A large
	// message has a second more for each 128 KiB. Default 30 s.
	Stall time.Duration

	// Unsent is how many bytes the kernel may hold that it hasn't sent yet; more
	// makes Write wait. A small value keeps messages where the caller can still
	// replace them by newer ones. 0 leaves it to the kernel, which may hold
	// megabytes. Systems that can't bound it ignore it.
	Unsent int

	// Memory accounts for the memory of large messages while they are read and until the
	// next Read. nil sets no other bound than MaxMessage.
	Memory Memory
}

// Memory lends memory, in bytes. If it has none, the connection fails.
type Memory interface {
	Take(n int64) bool
	Give(n int64)
}

const (
	defaultMaxMessage = 1 << 20
	defaultPatience   = 30 * time.Second
	slowestRate       = 128 << 10 // bytes a second that a client has to take
)

func (o *Options) setDefaults() {
	if o.MaxMessage <= 0 {
		o.MaxMessage = defaultMaxMessage
	}
	if o.Silence <= 0 {
		o.Silence = defaultPatience
	}
	if o.Stall <= 0 {
		o.Stall = defaultPatience
	}
}

// Requested reports whether the client asks for a WebSocket. Such a request is either
// passed to Upgrade or answered like any other.
func Requested(r *http.Request) bool {
	return listed(r.Header, "Connection", "upgrade") && listed(r.Header, "Upgrade", "websocket")
}

// Offered lists the subprotocols that the client speaks, the preferred one first.
func Offered(r *http.Request) []string {
	var all []string
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); name != "" {
				all = append(all, name)
			}
		}
	}
	return all
}

// listed reports whether a list header contains a token, ignoring case.
func listed(h http.Header, key, token string) bool {
	for _, line := range h.Values(key) {
		for name := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(name), token) {
				return true
			}
		}
	}
	return false
}

// Upgrade answers the request by switching to WebSocket. If it returns an error, it
// has answered the request with it, or the connection is broken. It doesn't check
// the Origin and Host headers: the caller has done that.
//
// The caller owns the connection and has to call HangUp at the end; the HTTP server
// no longer knows of it, not even when it shuts down.
func Upgrade(w http.ResponseWriter, r *http.Request, options Options) (*Conn, error) {
	options.setDefaults()
	answer, subprotocol, refused := accept(r, &options)
	if refused != nil {
		if refused.status == http.StatusUpgradeRequired {
			w.Header().Set("Connection", "Upgrade")
			w.Header().Set("Upgrade", "websocket")
			w.Header().Set("Sec-WebSocket-Version", "13")
		}
		http.Error(w, refused.Error(), refused.status)
		return nil, refused
	}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "this server's connections can't be upgraded", http.StatusInternalServerError)
		return nil, fmt.Errorf("take over the connection of a WebSocket request: %w", err)
	}
	if err := begin(conn, answer, &options); err != nil {
		conn.Close() //nolint:errcheck // it is broken
		return nil, err
	}
	return newConn(conn, buffered.Reader, subprotocol, options), nil
}

// begin sends the answer and sets the socket up.
func begin(conn net.Conn, answer string, options *Options) error {
	if err := conn.SetDeadline(time.Now().Add(options.Stall)); err != nil {
		return fmt.Errorf("set up a WebSocket: %w", err)
	}
	if _, err := conn.Write([]byte(answer)); err != nil {
		return fmt.Errorf("answer a WebSocket request: %w", err)
	}
	tune(conn, options.Unsent)
	return conn.SetDeadline(time.Time{})
}

// tune makes the kernel send small messages at once and hold few that it can't send.
// A connection that isn't TCP, or a system that can't, works without.
func tune(conn net.Conn, unsent int) {
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = inner.NetConn()
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	tcp.SetNoDelay(true) //nolint:errcheck // slower without
	if unsent > 0 {
		limitUnsent(tcp, unsent) //nolint:errcheck // older images without
	}
}

// refusal is the answer to a request that isn't upgraded.
type refusal struct {
	status int
	reason string
}

func (e *refusal) Error() string { return e.reason }

func refuse(format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, "WebSocket handshake: " + fmt.Sprintf(format, args...)}
}

// accept checks the request and words the answer.
func accept(r *http.Request, options *Options) (answer, subprotocol string, refused *refusal) {
	switch {
	case !Requested(r):
		e := refuse("the request doesn't ask for a WebSocket by Connection: Upgrade and Upgrade: websocket")
		e.status = http.StatusUpgradeRequired
		return "", "", e
	case r.Method != http.MethodGet:
		e := refuse("method %s, expected GET", r.Method)
		e.status = http.StatusMethodNotAllowed
		return "", "", e
	case !r.ProtoAtLeast(1, 1) || r.ProtoMajor > 1:
		return "", "", refuse("%s, expected HTTP/1.1", r.Proto)
	case r.Header.Get("Sec-WebSocket-Version") != "13":
		e := refuse("version %q, expected 13", r.Header.Get("Sec-WebSocket-Version"))
		e.status = http.StatusUpgradeRequired
		return "", "", e
	}
	key, err := readKey(r.Header.Values("Sec-WebSocket-Key"))
	if err != nil {
		return "", "", refuse("%s", err)
	}
	var b strings.Builder
	b.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + acceptKey(key) + "\r\n")
	if len(options.Subprotocols) > 0 {
		offered := Offered(r)
		at := slices.IndexFunc(options.Subprotocols, func(s string) bool { return slices.Contains(offered, s) })
		if at < 0 {
			return "", "", refuse("the client offers the subprotocols %q, expected one of %q", offered, options.Subprotocols)
		}
		subprotocol = options.Subprotocols[at]
		b.WriteString("Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
	}
	b.WriteString("\r\n")
	return b.String(), subprotocol, nil
}

// keyBytes is the length of the client's random number.
const keyBytes = 16

func readKey(lines []string) (string, error) {
	if len(lines) != 1 {
		return "", fmt.Errorf("%d headers Sec-WebSocket-Key, expected one", len(lines))
	}
	key := strings.TrimSpace(lines[0])
	if raw, err := base64.StdEncoding.DecodeString(key); err != nil || len(raw) != keyBytes {
		return "", errors.New("Sec-WebSocket-Key isn't 16 bytes in base64")
	}
	return key, nil
}

// acceptKey proves to the client that the server speaks WebSocket (RFC 6455 §4.2.2).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // see the import
	return base64.StdEncoding.EncodeToString(sum[:])
}
