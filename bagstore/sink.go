package bagstore

// SinkKind chooses how bytes go to the disk.
type SinkKind int

const (
	// Buffered writes through the page cache.
	Buffered SinkKind = iota
	// Direct writes past it (O_DIRECT), where the file system can.
	Direct
)

// sink appends to a bag file. It is for one goroutine, but for sync and head.
// An error may come from what was appended before; from then on there is only
// rewind.
type sink interface {
	// append adds head, body and tail at the end. They may be reused when it
	// returns. If there is a done, body is lent: it may be used until done is
	// called, which happens once, from any goroutine, after an error too.
	append(head, body, tail []byte, done func()) error
	// size is the file's length with all that was appended.
	size() int64
	// grain is the number of bytes that are written in multiples of; 1 where
	// that doesn't matter.
	grain() int64
	// flush hands everything appended to the file. Off the grain, the last
	// bytes are written again with what follows.
	flush() error
	// sync returns when what was flushed is on the medium.
	sync() error
	// head overwrites the file's first bytes with a changed file header.
	head(b []byte) error
	// intact waits until nothing is being written. Up to the size that it gives
	// all that was appended is written or will be.
	intact() int64
	// rewind forgets what was appended after size n, in order to append
	// something else there after a failed write. n is not above intact, or of what was flushed.
	rewind(n int64) error
	// end writes what is left and cuts the file to its true length.
	end() error
	// close gives the file up.
	close() error
}

// dropBytes drops n written bytes from the front of a list of buffers.
func dropBytes(bufs [][]byte, n int) [][]byte {
	for len(bufs) > 0 && n >= len(bufs[0]) {
		n -= len(bufs[0])
		bufs = bufs[1:]
	}
	if n > 0 {
		rest := append([][]byte{bufs[0][n:]}, bufs[1:]...)
		return rest
	}
	return bufs
}

// bufferedSink leaves buffering to the operating system's page cache.
type bufferedSink struct {
	d    disk
	tail int64
}

func (s *bufferedSink) append(head, body, tail []byte, done func()) error {
	if done != nil {
		defer done()
	}
	if err := s.d.writev([][]byte{head, body, tail}, s.tail); err != nil {
		return err
	}
	s.tail += int64(len(head) + len(body) + len(tail))
	return nil
}

func (s *bufferedSink) size() int64         { return s.tail }
func (s *bufferedSink) grain() int64        { return 1 }
func (s *bufferedSink) flush() error        { return nil } // append has
func (s *bufferedSink) sync() error         { return s.d.sync() }
func (s *bufferedSink) head(b []byte) error { return s.d.writev([][]byte{b}, 0) }
func (s *bufferedSink) intact() int64       { return s.tail }

func (s *bufferedSink) rewind(n int64) error {
	s.tail = n
	return s.d.truncate(n)
}

// end cuts off what a failed write may have left behind the end.
func (s *bufferedSink) end() error   { return s.d.truncate(s.size()) }
func (s *bufferedSink) close() error { return s.d.close() }
