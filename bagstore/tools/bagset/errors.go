package bagset

import (
	"errors"
	"fmt"
	"strings"
)

// ErrSelection means that a Selection is invalid or doesn't apply to the bags.
var ErrSelection = errors.New("bad selection")

// LossError says that work on bags was done without messages that can't be read.
type LossError struct {
	Damaged int      // messages that were skipped
	Lost    []string // where messages are gone, from Open
}

// Loss returns a LossError, or nil if nothing is lost.
func Loss(damaged int, lost []string) error {
	if damaged == 0 && len(lost) == 0 {
		return nil
	}
	return &LossError{damaged, lost}
}

func (e *LossError) Error() string {
	text := strings.Join(e.Lost, "; ")
	if e.Damaged > 0 {
		text = fmt.Sprintf("%d messages are damaged", e.Damaged)
	}
	return "not everything came through: " + text
}
