//go:build !linux

package disk

import "os"

// AheadCall describes how large files are read ahead on this machine.
func AheadCall() string { return "no: files are read through the page cache" }

// OpenAhead returns nil: reading past the page cache is implemented for Linux only.
func OpenAhead(*os.File, int64, AheadOptions) *Ahead { return nil }
