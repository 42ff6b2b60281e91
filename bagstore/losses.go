package bagstore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Losses counts what a file can't hold, in whole or in part, by description. The zero value takes nothing.
type Losses map[string]uint64

// maxLosses bounds the number of different descriptions, which may have names from a file.
const maxLosses = 1000

// Addf counts a loss.
func (l Losses) Addf(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if _, known := l[what]; known || len(l) < maxLosses {
		l[what]++
	}
}

func (l Losses) String() string { return strings.Join(slices.Sorted(maps.Keys(l)), "; ") }
