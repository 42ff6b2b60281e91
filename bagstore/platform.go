package bagstore

import "rsros/bagstore/internal/disk"

// Platform says in words what reading and writing bags can do on this machine. Each
// begins with yes or no, and says by which call, or what is done instead.
type Platform struct {
	Direct    string // writing past the page cache
	Ahead     string // reading whole files past the page cache
	Reserve   string // disk space ahead of a recording
	Maps      string // large messages are played from the page cache without a copy
	Locks     string // two recorders can't write one file
	HugePages string // memory for images
}

// ThisPlatform asks the system.
func ThisPlatform() Platform {
	return Platform{disk.DirectCall(), disk.AheadCall(), disk.Reserves, disk.MapCall(), disk.Locks, disk.HugePageCall()}
}
