//go:build !linux

package disk

import "os"

// Maps says in words whether Map works.
const Maps = "no: large messages are read into memory"

// Map is not supported here: callers read the file.
func Map(*os.File, int64, int) (data, pages []byte) { return nil, nil }

// Unmap has nothing to do.
func Unmap([]byte) {}
