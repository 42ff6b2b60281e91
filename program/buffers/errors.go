package buffers

import (
	"errors"
	"fmt"
)

// ErrExhausted means that peers are sending more than may be buffered at once.
var ErrExhausted = errors.New("too much is being received at once")

// TooLargeError means that a peer sends more than is taken of one body.
type TooLargeError struct {
	Size  int64 // that the peer claims; -1 if it claims none
	Limit int64
}

func (e *TooLargeError) Error() string {
	if e.Size < 0 {
		return fmt.Sprintf("more than %d bytes", e.Limit)
	}
	return fmt.Sprintf("%d bytes, the limit is %d", e.Size, e.Limit)
}
