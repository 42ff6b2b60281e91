package place

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"rsros/test/need"
)

// hanging is a store with one object, of which the first request hangs until it is cancelled.
type hanging struct {
	Store
	asked atomic.Int64
	hangs chan struct{} // closed when the first request hangs
}

func (h *hanging) Open(context.Context, string) (Object, error) { return h, nil }

func (h *hanging) Info() Info { return Info{Name: "hanging://x", Size: 1000, Version: "1"} }

func (h *hanging) Range(ctx context.Context, _, n int64) (io.ReadCloser, error) {
	if h.asked.Add(1) > 1 {
		return io.NopCloser(bytes.NewReader(make([]byte, n))), nil
	}
	close(h.hangs)
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestCancelledByAnother checks that a File reads a block whose request was another File's, which was closed meanwhile.
func TestCancelledByAnother(t *testing.T) {
	h := &hanging{hangs: make(chan struct{})}
	Register("hanging", h)
	first, err := Open(t.Context(), "hanging://x")
	need.Must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // if it never reads it again
	defer cancel()
	second, err := Open(ctx, "hanging://x")
	need.Must(t, err)
	defer second.Close()
	read := make(chan error)
	go func() {
		<-h.hangs
		go first.Close()
		n, err := second.ReadAt(make([]byte, 1000), 0)
		if n != 1000 {
			t.Errorf("%d bytes", n)
		}
		read <- err
	}()
	_, _ = first.ReadAt(make([]byte, 10), 0) // it is closed
	if err := <-read; err != nil || h.asked.Load() != 2 {
		t.Errorf("%v, %d requests", err, h.asked.Load())
	}
}
