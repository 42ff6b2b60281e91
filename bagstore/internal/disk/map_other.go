//go:build !linux

package disk

import "os"

// MapCall says in words whether Map works.
func MapCall() string { return "no: large messages are read into memory" }

// Map is not supported here: callers read the file.
func Map(*os.File, int64, int) (data, pages []byte) { return nil, nil }

// Unmap has nothing to do.
func Unmap([]byte) {}
