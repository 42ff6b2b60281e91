package mcap

import "errors"

// ErrNotMCAP means that a file doesn't begin as MCAP files do. What ends too early is an io.ErrUnexpectedEOF.
var ErrNotMCAP = errors.New("not an MCAP file")

// What the format allows a file to lack. Such a file is scanned.
var (
	errNoSummary = errors.New("the file has no summary")
	errNoChunks  = errors.New("the summary lists no chunks")
)
