//go:build unix

package localfile

import (
	"errors"
	"os"
)

// Temp creates a temporary file without a name. It is deleted when it is closed or the program ends.
func Temp() (*os.File, error) {
	f, err := os.CreateTemp("", "rs-ros-node-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
