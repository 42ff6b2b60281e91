//go:build race

package wire

import "golang.org/x/sys/unix"

// writev writes what is left in a way that the race detector sees.
func (w *VectorWriter) writev(fd uintptr) (int, error) { return unix.Writev(int(fd), w.left) }
