package record

import (
	"errors"
	"fmt"
	"io"
)

const (
	// streamAhead is the number of bytes that a Stream reads at least.
	streamAhead = 64 << 10
	// streamRecord bounds the records that a Stream hands out.
	streamRecord = 64 << 20
)

// Stream is a Source over bytes that can be read only once and forward, such as the content of a
// chunk that unpacks to far more than is plausible. It keeps at most one record.
type Stream struct {
	r   io.Reader
	buf []byte // read and not yet passed
	off int64  // of buf
}

// NewStream returns a Stream of what r has not yet been read of.
func NewStream(r io.Reader) *Stream { return &Stream{r: r} }

// At implements Source.
func (s *Stream) At(off int64, n int) ([]byte, error) {
	if off < s.off {
		return nil, errors.New("read backward in a chunk that is decoded as a stream")
	}
	if n > streamRecord {
		return nil, fmt.Errorf("a record of %d bytes, above %d, in a chunk that unpacks to far more than its stored size", n, streamRecord)
	}
	if skip := off - s.off; skip <= int64(len(s.buf)) {
		s.buf = s.buf[skip:]
	} else {
		k, err := io.CopyN(io.Discard, s.r, skip-int64(len(s.buf)))
		if s.buf = nil; err != nil {
			s.off = off
			return nil, short(err, skip, k)
		}
	}
	s.off = off
	if len(s.buf) >= n {
		return s.buf[:n], nil
	}
	more := make([]byte, max(n, streamAhead))
	have := copy(more, s.buf)
	k, err := io.ReadAtLeast(s.r, more[have:], n-have)
	s.buf = more[:have+k]
	if err != nil {
		return nil, short(err, int64(n), int64(have+k))
	}
	return s.buf[:n], nil
}

// Finish reads up to size and checks the end, and with it the checksum of everything before.
func (s *Stream) Finish(size int64) error {
	if _, err := s.At(size-1, 1); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, s.r, 1)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func short(err error, want, have int64) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Cut(want, have)
	}
	return err
}
