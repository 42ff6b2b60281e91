//go:build !linux

package bagstore

import (
	"errors"
	"os"
)

func openDirect(string) (*os.File, error) {
	return nil, errors.New("direct writing is supported on Linux only")
}
