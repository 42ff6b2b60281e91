package work

import (
	"math/rand/v2"
	"time"
)

// Backoff returns how long to wait after the n-th failure in a row, counted from 1: a random time between half and all
// of an interval that doubles, from first up to most.
func Backoff(n int, first, most time.Duration) time.Duration {
	whole := most
	if n < 16 {
		whole = min(most, first<<max(n-1, 0))
	}
	return whole/2 + rand.N(whole/2)
}
