package program

import (
	"fmt"
	"time"
)

// progressEvery is the interval of the lines of ProgressLines.
const progressEvery = 5 * time.Second

// ProgressLines returns a function that takes how much of long work is done, and calls print with a line every few
// seconds, such as "walk.bag: 34 % after 10s, about 20s left". It isn't safe for concurrent use.
func ProgressLines(name string, now func() time.Time, print func(line string)) func(done, total uint64) {
	begun := now()
	next := begun.Add(progressEvery)
	return func(done, total uint64) {
		t := now()
		if t.Before(next) || done == 0 || done >= total {
			return
		}
		next = t.Add(progressEvery)
		spent := t.Sub(begun)
		left := time.Duration(float64(spent) * float64(total-done) / float64(done))
		print(fmt.Sprintf("%s: %d %% after %v, about %v left", name, uint64(100*float64(done)/float64(total)),
			spent.Round(time.Second), left.Round(time.Second)))
	}
}
