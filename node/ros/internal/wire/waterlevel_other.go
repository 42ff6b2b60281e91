//go:build !linux

package wire

import "syscall"

// waterLevel stays at a byte here.
type waterLevel struct{}

func newWaterLevel(syscall.RawConn) waterLevel { return waterLevel{} }

func (waterLevel) set(int) {}
