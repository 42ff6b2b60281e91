package record

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// newBase returns a base for the names of a recording's files: base itself or, if a file
// with that name exists, base with the time stamp appended. first creates the first file
// for a base; while it returns fs.ErrExist, newBase tries the next name. renamed reports
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

// maxNames is the limit of names to try.
const maxNames = 100
