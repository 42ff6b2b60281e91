package wire

import (
	"net"
	"time"
)

// KeepAlive makes the kernel ask the other end of an idle connection whether it is
// still there, and break a connection to a machine that is gone after 25 seconds. Two
// hours are usual otherwise.
func KeepAlive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}
}

// Dialer connects to a topic or a service.
func Dialer() *net.Dialer {
	return &net.Dialer{Timeout: HandshakeTime, KeepAliveConfig: KeepAlive()}
}
