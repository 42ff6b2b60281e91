//go:build !linux

package disk

import (
	"errors"
	"os"
)

// SetDirect is not supported here.
func SetDirect(*os.File, bool) error {
	return errors.New("direct writing is supported on Linux only")
}
