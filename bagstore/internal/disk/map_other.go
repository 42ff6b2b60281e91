//go:build !linux

package disk

import "os"

// MapCall describes whether Map works.
func MapCall() string { return "no: large messages are read into memory" }

// Map is not supported; callers read the file.
func Map(*os.File, int64, int) (data, pages []byte) { return nil, nil }

// Unmap does nothing.
func Unmap([]byte) {}
