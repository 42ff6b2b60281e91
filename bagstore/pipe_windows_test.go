package bagstore

import "os"

// makePipe makes a folder: pipes have no names in folders here.
func makePipe(path string) error { return os.Mkdir(path, 0o700) }
