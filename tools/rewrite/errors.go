package rewrite

import "errors"

var (
	// ErrSameFile means that the new version of a file would replace it unasked.
	ErrSameFile = errors.New(
		"the output is the bag itself; without -o, compress and reindex replace it, and recover with --in-place")
	// ErrObject means that an object would be replaced in place, which only a file can be.
	ErrObject = errors.New("an object can't be replaced in place; -o names another file or folder")
)
