package udp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// Socket is a UDP socket of IPv4.
type Socket struct {
	conn *net.UDPConn
	raw  syscall.RawConn
}

// Listen returns a socket for unicast at a port of all interfaces, or if port is 0, at any.
func Listen(port int) (*Socket, error) { return open(port, func(int) error { return nil }) }

// ListenMulticast returns a socket that receives what is sent to a group, through the interfaces with the addresses.
// Other programs may listen at the same port.
func ListenMulticast(port int, group netip.Addr, interfaces []netip.Addr) (*Socket, error) {
	return open(port, func(fd int) error {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
			return err
		}
		joined, errs := 0, []error(nil)
		for _, i := range interfaces {
			err := unix.SetsockoptIPMreq(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, &unix.IPMreq{Multiaddr: group.As4(), Interface: i.As4()})
			if err == nil || errors.Is(err, unix.EADDRINUSE) { // another address of the interface has joined
				joined++
			} else {
				errs = append(errs, fmt.Errorf("join group %s at %s: %w", group, i, err))
			}
		}
		if joined == 0 {
			return errors.Join(errs...)
		}
		return nil
	})
}

// MulticastSender returns a socket whose multicast leaves through the interface with an address.
func MulticastSender(address netip.Addr) (*Socket, error) {
	return open(0, func(fd int) error {
		if err := unix.SetsockoptInet4Addr(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, address.As4()); err != nil {
			return err
		}
		return errors.Join(unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, 1),
			unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_LOOP, 1))
	})
}

func open(port int, set func(fd int) error) (*Socket, error) {
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) { failed = set(int(fd)) })
		return errors.Join(err, failed)
	}}
	packets, err := config.ListenPacket(context.Background(), "udp4", fmt.Sprintf("0.0.0.0:%d", port))
	if err != nil {
		return nil, fmt.Errorf("listen at UDP port %d: %w", port, err)
	}
	conn := packets.(*net.UDPConn)
	raw, err := conn.SyscallConn()
	if err == nil {
		err = conn.SetReadBuffer(receiveBuffer)
	}
	if err != nil {
		conn.Close() //nolint:errcheck // the error above counts
		return nil, fmt.Errorf("listen at UDP port %d: %w", port, err)
	}
	return &Socket{conn: conn, raw: raw}, nil
}

// Port returns the socket's own port.
func (s *Socket) Port() int { return s.conn.LocalAddr().(*net.UDPAddr).Port }

// ReceiveBuffer returns how many bytes the kernel buffers, and how many it was asked for.
func (s *Socket) ReceiveBuffer() (size, wanted int, err error) {
	failed := s.raw.Control(func(fd uintptr) { size, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF) })
	return size / 2, receiveBuffer, errors.Join(err, failed) // the kernel reports twice what it grants
}

// Receive reads a datagram into b, which has room for MaxDatagram bytes.
func (s *Socket) Receive(b []byte) (n int, from netip.AddrPort, err error) {
	return s.conn.ReadFromUDPAddrPort(b)
}

// Send sends the parts as one datagram. An error of the network, such as that nobody listens there, is nobody's concern:
// what must arrive is sent again.
func (s *Socket) Send(to netip.AddrPort, parts ...[]byte) error { return s.send(to, nil, parts) }

// send calls sendmsg, and waits while the socket's buffer is full.
func (s *Socket) send(to netip.AddrPort, control []byte, parts [][]byte) error {
	address := unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}
	var failed error
	err := s.raw.Write(func(fd uintptr) bool {
		_, failed = unix.SendmsgBuffers(int(fd), parts, control, &address, unix.MSG_DONTWAIT)
		return !errors.Is(failed, unix.EAGAIN)
	})
	if err != nil {
		return err
	}
	return failed
}

// SendSegments sends the parts as datagrams of size bytes each, of which the last may be shorter: by one call, if the
// kernel can. The parts have at most MaxDatagram bytes in all.
func (s *Socket) SendSegments(to netip.AddrPort, size int, parts [][]byte) error {
	control := make([]byte, unix.CmsgSpace(2))
	h := cmsgHeader(control)
	h.Level, h.Type = unix.IPPROTO_UDP, unix.UDP_SEGMENT
	h.SetLen(unix.CmsgLen(2))
	control[unix.CmsgLen(0)], control[unix.CmsgLen(0)+1] = byte(size), byte(size>>8)
	return s.send(to, control, parts)
}

// Close closes the socket. Receive and Send return an error then.
func (s *Socket) Close() error { return s.conn.Close() }
