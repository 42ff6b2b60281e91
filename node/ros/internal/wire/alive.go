package wire

import (
	"net"
	"time"
)

// KeepAlive makes the kernel probe idle connections and break those to unreachable
// machines after 25 seconds. The usual default is two hours.
func KeepAlive() net.KeepAliveConfig {
	return net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}
}

// Dialer returns a dialer for topics and services.
func Dialer() *net.Dialer {
	return &net.Dialer{Timeout: HandshakeTime, KeepAliveConfig: KeepAlive()}
}
