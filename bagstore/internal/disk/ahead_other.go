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
