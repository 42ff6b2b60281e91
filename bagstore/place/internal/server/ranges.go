// Package server has what stores demand of servers: an answer in time, and exactly the range that was asked for.
// Nothing in an answer is trusted, because a wrong range would be wrong data.
package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// HeadBytes is how much the request that opens an object asks for.
const HeadBytes = 64 << 10

// ErrUnsupported means that a server sent a whole object where a part was asked for.
var ErrUnsupported = errors.New("the server doesn't support range requests")

// Size checks the answer to a request for n bytes at off, and returns the size of the object.
// status is 0 if the client has checked it.
func Size(h http.Header, status int, off, n int64) (size int64, err error) {
	text := h.Get("Content-Range")
	if text == "" || status == http.StatusOK {
		return 0, ErrUnsupported
	}
	var from, to int64
	rest, ok := strings.CutPrefix(strings.ToLower(text), "bytes ")
	if k, err := fmt.Sscanf(rest, "%d-%d/%d", &from, &to, &size); !ok || err != nil || k != 3 || size < 0 ||
		fmt.Sprintf("%d-%d/%d", from, to, size) != rest {
		return 0, fmt.Errorf("the server sent the range %.60q", text)
	}
	if want := min(off+n, size) - 1; from != off || to != want || to < from {
		return 0, fmt.Errorf("the server sent bytes %d to %d, %d to %d were asked for", from, to, off, want)
	}
	return size, nil
}

// Head reads the first bytes of an object.
func Head(body io.Reader, size int64) ([]byte, error) {
	head := make([]byte, min(size, HeadBytes))
	_, err := io.ReadFull(body, head)
	return head, err
}

// Body limits what is read of an answer.
func Body(body io.ReadCloser, n int64) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(body, n), body}
}
