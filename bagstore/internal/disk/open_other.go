//go:build !linux

package disk

import (
	"errors"
	"os"
)

// OpenDirect is not supported here.
func OpenDirect(string) (*os.File, error) {
	return nil, errors.New("direct writing is supported on Linux only")
}
