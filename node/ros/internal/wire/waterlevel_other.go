//go:build !linux

package wire

import "syscall"

// waterLevel is implemented for Linux only.
type waterLevel struct{}

func newWaterLevel(syscall.RawConn) waterLevel { return waterLevel{} }

func (waterLevel) set(int) {}
