//go:build !linux

package disk

import "os"

// OpenAhead returns nil: files are read through the page cache here.
func OpenAhead(*os.File, int64, AheadOptions) *Ahead { return nil }
