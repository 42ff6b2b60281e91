package bagstore

import (
	"rsros/bagstore/internal/disk"
	"rsros/bagstore/place"
)

// Platform says what this machine supports: yes or no, then the system call or the replacement.
type Platform struct {
	Direct    string // writing past the page cache
	Ahead     string // reading whole files past the page cache
	Reserve   string // disk space ahead of a recording
	Maps      string // playing large messages from the page cache without a copy
	Locks     string // keeping two recorders from writing one file
	HugePages string // huge pages for images
}

// ThisPlatform describes this machine.
func ThisPlatform() Platform {
	return Platform{disk.DirectCall(), disk.AheadCall(), disk.Reserves, disk.MapCall(), place.Locks, disk.HugePageCall()}
}
