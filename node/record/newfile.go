package record

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// newBase returns a name for the files of a recording: base, or base with the time
// stamp where a file of the recording would take a name that exists. first tells
// for a base whether it is free, by creating its first file; a recording never
// replaces a file. renamed is true if the name isn't the one that was asked for.
func newBase(base string, now time.Time, first func(base string) error) (got string, renamed bool, err error) {
	stamped := base + "_" + now.Format(stampLayout)
	for n := 0; ; n++ {
		switch n {
		case 0:
			got = base
		case 1:
			got = stamped
		default:
			got = fmt.Sprintf("%s-%d", stamped, n)
		}
		err := first(got)
		if !errors.Is(err, fs.ErrExist) || n == maxNames {
			return got, n > 0, err
		}
	}
}

// maxNames bounds how many names are tried.
const maxNames = 100
