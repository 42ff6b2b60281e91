//go:build !linux

package wire

import (
	"net"
	"syscall"
	"time"
)

// Unanswered is implemented for Linux only. Elsewhere the kernel breaks connections to
// unreachable machines after some minutes.
func Unanswered(net.Conn, time.Duration) bool { return false }

// waterLevel is implemented for Linux only.
type waterLevel struct{}

func newWaterLevel(syscall.RawConn) waterLevel { return waterLevel{} }

func (waterLevel) set(int) {}
