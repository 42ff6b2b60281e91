package bagset

import (
	"fmt"

	"rsros/program"
)

// Damaged is the error of work that passed over some messages; nil if it passed
// over none.
func Damaged(messages int) error {
	if messages == 0 {
		return nil
	}
	return fmt.Errorf("%w: %d messages are damaged", program.ErrIncomplete, messages)
}
