// Package udp has the sockets of a participant: one that receives multicast, some that receive and send unicast, and
// one for each interface that sends multicast. Datagrams are sent from several pieces of memory without joining them.
//
// A Socket may send from several goroutines, and receive in one. Close ends them.
package udp

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// MaxDatagram is the largest datagram that is received or sent.
const MaxDatagram = 65507

// receiveBuffer is how much the kernel is asked to buffer, in bytes: more than one image, since some peers send it at
// once.
const receiveBuffer = 4 << 20

// ErrUnsupported is what sockets fail with on systems other than Linux.
var ErrUnsupported = errors.New("ROS 2 is supported on Linux only")

// Socket is a UDP socket of IPv4.
type Socket struct {
	conn *net.UDPConn
	raw  syscall.RawConn
}

// Port returns the socket's own port.
func (s *Socket) Port() int { return s.conn.LocalAddr().(*net.UDPAddr).Port }

// Receive reads a datagram into b, which has room for MaxDatagram bytes.
func (s *Socket) Receive(b []byte) (n int, from netip.AddrPort, err error) {
	return s.conn.ReadFromUDPAddrPort(b)
}

// Close closes the socket. Receive and Send return an error then.
func (s *Socket) Close() error { return s.conn.Close() }

// IsLocal reports whether an address is one of this machine's.
func IsLocal(own []netip.Addr, a netip.Addr) bool { return a.IsLoopback() || slices.Contains(own, a) }
