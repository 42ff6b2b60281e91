package program

import (
	"os"
	"runtime/debug"
)

// boundedGC is the garbage, in percent of what is in use, at which the collector runs if memory is to be
// bounded. Messages and chunks have no pointers, so collecting four times as often costs little.
const boundedGC = 25

// BoundGarbage bounds the program's garbage if memory is above 0, unless GOGC is set. restore undoes it.
func BoundGarbage(memory int64) (restore func()) {
	if _, set := os.LookupEnv("GOGC"); memory <= 0 || set {
		return func() {}
	}
	before := debug.SetGCPercent(boundedGC)
	return func() { debug.SetGCPercent(before) }
}
