package rsdb3

import (
	"cmp"
	"fmt"
	"slices"
)

// Loss is something of a recording that a file can't hold as it was.
type Loss struct {
	What  string
	Count uint64
}

// losses counts by what was lost.
type losses map[string]uint64

// maxLosses bounds how many kinds are told apart.
const maxLosses = 1000

func (l losses) add(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if _, known := l[what]; known || len(l) < maxLosses {
		l[what]++
	}
}

// Losses says what was left out or changed so far.
func (w *Writer) Losses() []Loss {
	var list []Loss
	for what, n := range w.losses {
		list = append(list, Loss{what, n})
	}
	slices.SortFunc(list, func(a, b Loss) int { return cmp.Compare(a.What, b.What) })
	return list
}
