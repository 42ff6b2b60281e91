package buffers

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadIsWhole(t *testing.T) {
	b := NewBudget(64 << 20)
	for _, n := range []int{0, 1, 511, 512, 513, free, free + 1, 1 << 20} {
		data := bytes.Repeat([]byte("x"), n)
		for _, size := range []int{-1, n} {
			body, err := b.Read(iotest.HalfReader(bytes.NewReader(data)), size, 1<<20, 4)
			if err != nil || !bytes.Equal(body.Bytes, data) {
				t.Errorf("%d bytes as %d: %d, %v", n, size, len(body.Bytes), err)
			}
			body.Close()
			body.Close()
		}
	}
	if b.Used() != 0 {
		t.Errorf("%d bytes are still in use", b.Used())
	}
}

// A claimed length costs nothing, and what one has of the budget others can't have.
func TestReadIsBounded(t *testing.T) {
	b := NewBudget(1 << 20)
	few := &Body{budget: b, factor: 1}
	if err := few.fill(strings.NewReader("few"), 1<<20, 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) || cap(few.Bytes) > 512 {
		t.Errorf("%d bytes for three, %v", cap(few.Bytes), err)
	}
	few.Close()
	var large *TooLargeError
	if _, err := b.Read(nil, 1<<20+1, 1<<20, 1); !errors.As(err, &large) {
		t.Errorf("a claim above the limit: %v", err)
	}
	zeros := iotest.HalfReader(io.LimitReader(endless{}, 1<<30))
	flood := &Body{budget: b, factor: 1}
	defer flood.Close()
	if err := flood.fill(zeros, -1, 1<<19); !errors.As(err, &large) || len(flood.Bytes) > 1<<19+1 {
		t.Errorf("read %d bytes, %v", len(flood.Bytes), err)
	}
	if _, err := b.Read(endless{}, 1<<20, 1<<20, 1); !errors.Is(err, ErrExhausted) {
		t.Errorf("two have more than there is: %v", err)
	}
	if b.used != flood.taken {
		t.Errorf("a body that couldn't be read keeps %d bytes", b.used-flood.taken)
	}
	small, err := b.Read(endless{}, free, 1<<20, 1)
	if err != nil {
		t.Errorf("a small body: %v", err)
	}
	small.Close()
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }
