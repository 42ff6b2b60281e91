//go:build !linux

package record

import "errors"

// freeSpace isn't known here.
func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
