package record

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// newBase returns a base for the names of a recording's files: base itself, or base with
// the time stamp appended if a file exists under that name. first creates the first file
// for a base; while it returns fs.ErrExist, the next name is tried. renamed reports
// whether the result differs from base.
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
