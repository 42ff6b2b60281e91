package bagset

import (
	"errors"
	"fmt"
)

// Kinds of failure that commands turn into exit codes.
var (
	ErrIncomplete = errors.New("not everything came through") // done, but something was lost or damaged on the way
	ErrUsage      = errors.New("wrong usage")                 // settings that contradict each other or make no sense
)

// Damaged is the error of work that passed over some messages; nil if it passed
// over none.
func Damaged(messages int) error {
	if messages == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d messages are damaged", ErrIncomplete, messages)
}
