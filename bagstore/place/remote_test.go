package place

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	"rsros/bagstore/place/internal/server"
	"rsros/test/need"
)

// chained is a store with one object of zeros. It sends the rest of a large range once the next range
// is requested.
type chained struct {
	Store
	mu    sync.Mutex
	asked map[int64]chan struct{} // by offset; closed when a range from there is asked for
}

const chainedSize = 5*maxRange + 1

func (c *chained) Open(context.Context, string) (Object, error) { return c, nil }

func (c *chained) Info() Info { return Info{Name: "chained://x", Size: chainedSize, Version: "1"} }

func (c *chained) at(off int64) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked[off] == nil {
		c.asked[off] = make(chan struct{})
	}
	return c.asked[off]
}

func (c *chained) Range(ctx context.Context, off, n int64) (io.ReadCloser, error) {
	close(c.at(off)) // panics if it is asked for twice
	body := bytes.NewReader(make([]byte, n))
	if n < maxRange || off+n == chainedSize {
		return io.NopCloser(body), nil
	}
	return &chainedBody{body, ctx, c.at(off + n)}, nil
}

type chainedBody struct {
	*bytes.Reader
	ctx  context.Context
	next chan struct{}
}

func (b *chainedBody) Close() error { return nil }

func (b *chainedBody) Read(p []byte) (int, error) {
	if b.Size()-int64(b.Len()) >= blockSize {
		select {
		case <-b.next:
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	return b.Reader.Read(p)
}

// TestSequential checks that the next range is requested while a large one arrives, and none twice.
func TestSequential(t *testing.T) {
	t.Cleanup(server.ScaleForTest(10))
	Register("chained", &chained{asked: make(map[int64]chan struct{})})
	f, err := Open(t.Context(), "chained://x")
	need.Must(t, err)
	defer f.Close()
	if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{io.NewSectionReader(f, 0, f.Size())}, make([]byte, 100_000)); n != chainedSize || err != nil {
		t.Errorf("%d bytes of %d: %v", n, f.Size(), err)
	}
}
