//go:build race

package wire

import "golang.org/x/sys/unix"

func (w *VectorWriter) writev(fd uintptr) (int, error) { return unix.Writev(int(fd), w.left) }

func read(fd uintptr, p []byte) (int, error) { return unix.Read(int(fd), p) }
