//go:build !linux

package disk

import "os"

// AheadCall says how large files are read ahead on this machine.
func AheadCall() string { return "no: files are read through the page cache" }

// OpenAhead returns nil: files are read through the page cache here.
func OpenAhead(*os.File, int64, AheadOptions) *Ahead { return nil }
