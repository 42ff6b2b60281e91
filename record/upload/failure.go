package upload

import (
	"time"

	"rsros/program/work"
)

// failure counts failed attempts in a row.
type failure struct {
	n      int
	text   string
	logged time.Time
}

// add reports whether to log the failure: a new reason always, the same one every sayEvery.
func (f *failure) add(err error, now time.Time) (due bool) {
	f.n++
	due = err.Error() != f.text && now.Sub(f.logged) > firstPause || now.Sub(f.logged) >= sayEvery
	if due {
		f.text, f.logged = err.Error(), now
	}
	return due
}

// pause returns how long to wait.
func (f *failure) pause() time.Duration { return work.Backoff(f.n, firstPause, lastPause) }
