package websocket

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf8"
)

// reader takes a client's frames apart. After an error it can't be used.
type reader struct {
	from  *bufio.Reader
	limit int64 // bytes of a message

	memory Memory // for messages above keptBytes; nil doesn't count
	taken  int64  // from memory

	message []byte // the one that is being read, or was returned
	control [maxControl]byte
	kind    Kind // of the message that is being read; 0 between messages
}

const (
	keptBytes = 64 << 10 // a message's memory up to this is used again
	readBytes = 64 << 10 // read at once, so that a claimed length allocates nothing
)

// next reads up to the end of a message or of a control frame. The payload is valid
// until the next call.
func (r *reader) next() (opcode byte, payload []byte, err error) {
	if r.kind == 0 && cap(r.message) > keptBytes {
		r.message = nil
		r.give()
	}
	for {
		h, err := r.head()
		if err != nil {
			return 0, nil, err
		}
		if h.control() {
			b := r.control[:h.length]
			if err := r.fill(b); err != nil {
				return 0, nil, err
			}
			unmask(b, h.mask, 0)
			return h.opcode, b, nil
		}
		if err := r.begin(&h); err != nil {
			return 0, nil, err
		}
		if err := r.append(&h); err != nil {
			return 0, nil, err
		}
		if !h.final {
			continue
		}
		kind := r.kind
		r.kind = 0
		if kind == Text && !utf8.Valid(r.message) {
			return 0, nil, &FailedError{StatusInvalid, "a text message isn't UTF-8"}
		}
		return byte(kind), r.message, nil
	}
}

// head reads the next frame's head. The connection may end before it, which is io.EOF.
func (r *reader) head() (head, error) {
	first, err := r.from.Peek(2)
	if err != nil {
		if len(first) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return head{}, err
	}
	var b [maxHead]byte
	n := headSize(first[1])
	if err := r.fill(b[:n]); err != nil {
		return head{}, err
	}
	return parseHead(b[:n])
}

// begin checks that a data frame may come now and is not too long.
func (r *reader) begin(h *head) error {
	switch {
	case h.opcode == opContinuation && r.kind == 0:
		return protocolError("a continuation of no message")
	case h.opcode != opContinuation && r.kind != 0:
		return protocolError("a new message (opcode %d) before the end of the previous one", h.opcode)
	case h.opcode != opContinuation:
		r.kind = Kind(h.opcode)
		r.message = r.message[:0]
	}
	if h.length > r.limit-int64(len(r.message)) {
		e := protocolError("a message of more than %d bytes, of which %d have come and %d are announced", r.limit, len(r.message), h.length)
		e.Status = StatusTooBig
		return e
	}
	return nil
}

// append reads a data frame's payload. Memory grows with what has arrived.
func (r *reader) append(h *head) error {
	for at := int64(0); at < h.length; {
		n := int(min(h.length-at, readBytes))
		old := len(r.message)
		if err := r.grow(n); err != nil {
			return err
		}
		r.message = r.message[:old+n]
		if err := r.fill(r.message[old:]); err != nil {
			return err
		}
		unmask(r.message[old:], h.mask, at)
		at += int64(n)
	}
	return nil
}

// grow makes room for n more bytes.
func (r *reader) grow(n int) error {
	have := len(r.message)
	if have+n <= cap(r.message) {
		return nil
	}
	size := max(have+n, min(2*cap(r.message), int(r.limit)))
	if more := int64(size) - r.taken; size > keptBytes && r.memory != nil {
		if !r.memory.Take(more) {
			return &FailedError{StatusTryAgain, "too much is being received at once"}
		}
		r.taken += more
	}
	r.message = append(make([]byte, 0, size), r.message...)
	return nil
}

// give returns the memory of a large message to the budget.
func (r *reader) give() {
	if r.taken > 0 {
		r.memory.Give(r.taken)
		r.taken = 0
	}
}

// fill reads what has to follow.
func (r *reader) fill(b []byte) error {
	_, err := io.ReadFull(r.from, b)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
