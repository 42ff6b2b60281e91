package rsdb3

import (
	"cmp"
	"fmt"
	"slices"
)

// Loss is a part of a recording that a file can't hold unchanged.
type Loss struct {
	What  string
	Count uint64
}

// losses counts what was lost, by description.
type losses map[string]uint64

// maxLosses bounds the number of different descriptions.
const maxLosses = 1000

func (l losses) add(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if _, known := l[what]; known || len(l) < maxLosses {
		l[what]++
	}
}

// Losses returns what was left out or changed so far.
func (w *Writer) Losses() []Loss {
	var list []Loss
	for what, n := range w.losses {
		list = append(list, Loss{what, n})
	}
	slices.SortFunc(list, func(a, b Loss) int { return cmp.Compare(a.What, b.What) })
	return list
}
