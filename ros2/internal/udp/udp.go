// Package udp has the sockets of a participant: one that receives multicast, some that receive and send unicast, and one
// for each interface that sends multicast. Datagrams are sent from several pieces of memory without joining them.
//
// A Socket may send from several goroutines, and receive in one. Close ends them.
package udp

import (
	"errors"
	"net/netip"
)

// MaxDatagram is the largest datagram that is received or sent.
const MaxDatagram = 65507

// receiveBuffer is how much the kernel is asked to buffer, in bytes: more than one image, since some peers send it at once.
const receiveBuffer = 4 << 20

// ErrUnsupported is what sockets fail with on systems other than Linux.
var ErrUnsupported = errors.New("ROS 2 is supported on Linux only")

// IsLocal reports whether an address is one of this machine's.
func IsLocal(own []netip.Addr, a netip.Addr) bool {
	if a.IsLoopback() {
		return true
	}
	for _, o := range own {
		if o == a {
			return true
		}
	}
	return false
}
