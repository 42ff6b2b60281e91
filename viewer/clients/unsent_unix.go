//go:build linux || darwin

package clients

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// limitUnsent bounds the bytes that the kernel takes before it has sent those it has.
func limitUnsent(conn *net.TCPConn, bytes int) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, bytes)
	})
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("set TCP_NOTSENT_LOWAT to %d: %w", bytes, err)
	}
	return nil
}
