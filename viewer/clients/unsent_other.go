//go:build !linux && !darwin

package clients

import (
	"errors"
	"net"
)

// limitUnsent isn't possible here: the kernel takes what its buffer has room for.
func limitUnsent(*net.TCPConn, int) error { return errors.ErrUnsupported }
