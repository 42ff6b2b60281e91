//go:build !unix

package disk

import "os"

func existingFlags(flags int, _ bool) int { return flags }

// Lock does nothing: files are not locked here.
func Lock(*os.File) error { return nil }
