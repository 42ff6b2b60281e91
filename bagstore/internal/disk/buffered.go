package disk

// bufferedSink writes at once and leaves buffering to the page cache.
type bufferedSink struct {
	d   Disk
	end int64
}

// NewBuffered returns a sink that writes through the page cache.
func NewBuffered(d Disk) Sink { return &bufferedSink{d: d} }

func (s *bufferedSink) Append(head, body, tail []byte, done func()) error {
	if done != nil {
		defer done()
	}
	if err := s.d.Writev([][]byte{head, body, tail}, s.end); err != nil {
		return err
	}
	s.end += int64(len(head) + len(body) + len(tail))
	return nil
}

func (s *bufferedSink) Size() int64              { return s.end }
func (s *bufferedSink) Written() int64           { return s.end }
func (s *bufferedSink) Landed() int64            { return s.end }
func (s *bufferedSink) Grain() int64             { return 1 }
func (s *bufferedSink) Flush() error             { return nil } // append has
func (s *bufferedSink) Sync() error              { return s.d.Sync() }
func (s *bufferedSink) WriteHead(b []byte) error { return s.d.Writev([][]byte{b}, 0) }
func (s *bufferedSink) Intact() int64            { return s.end }

func (s *bufferedSink) Rewind(n int64) error {
	s.end = n
	return s.d.Truncate(n)
}

// Finish cuts off what a failed write may have left after the end.
func (s *bufferedSink) Finish() error { return s.d.Truncate(s.Size()) }
func (s *bufferedSink) Close() error  { return s.d.Close() }
