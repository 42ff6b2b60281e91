//go:build !linux

package disk

import (
	"os"

	"rsros/program/buffers"
)

// AheadCall describes how large files are read ahead on this machine.
func AheadCall() string { return "no: files are read through the page cache" }

// OpenAhead returns nil: reading past the page cache is implemented for Linux only.
func OpenAhead(*os.File, int64, bool) *Ahead { return nil }

func newPages(n int) pages { return pages{bytes: buffers.Aligned(n, buffers.HugePage)} }

// MapCall describes whether Map works.
func MapCall() string { return "no: large messages are read into memory" }

// Map is not supported; callers read the file.
func Map(*os.File, int64, int) (data, pages []byte) { return nil, nil }

// Unmap does nothing.
func Unmap([]byte) {}

// Fetch does nothing.
func Fetch(*os.File, int64, int64) {}
