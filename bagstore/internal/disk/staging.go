package disk

import (
	"sync"

	"rsros/program/buffers"
)

// Staging keeps the memory of closed files that were written past the page cache, for the next ones: for a file of a
// second, clearing new memory costs a tenth of the writing. Any goroutine may use it. A nil Staging keeps nothing.
type Staging struct {
	mu   sync.Mutex
	free [][]byte
}

// maxStaging is the number of files whose memory is kept: one is written while another one is closed.
const maxStaging = 2

// take returns the memory for one file.
func (s *Staging) take() []byte {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if last := len(s.free) - 1; last >= 0 {
			b := s.free[last]
			s.free = s.free[:last]
			return b
		}
	}
	return buffers.Huge(MaxUnderWay * stagingSize)
}

// give takes memory that isn't used any more.
func (s *Staging) give(b []byte) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) < maxStaging {
		s.free = append(s.free, b)
	}
}
