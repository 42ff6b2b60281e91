package udp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

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
			request := unix.IPMreq{Multiaddr: group.As4(), Interface: i.As4()}
			err := unix.SetsockoptIPMreq(fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, &request)
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

// ReceiveBuffer returns how many bytes the kernel buffers, and how many it was asked for.
func (s *Socket) ReceiveBuffer() (size, wanted int, err error) {
	failed := s.raw.Control(func(fd uintptr) { size, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF) })
	return size / 2, receiveBuffer, errors.Join(err, failed) // the kernel reports twice what it grants
}

// Send sends the parts as one datagram or, if segment isn't 0, as datagrams of so many bytes, of which the last may be
// shorter: by one call. The parts have at most MaxDatagram bytes in all. It waits while the socket's buffer is full. An
// error of the network, such as that nobody listens there, is nobody's concern: what must arrive is sent again.
func (s *Socket) Send(to netip.AddrPort, segment int, parts ...[]byte) error {
	var control []byte
	if segment > 0 {
		control = make([]byte, unix.CmsgSpace(2))
		h := (*unix.Cmsghdr)(unsafe.Pointer(&control[0])) // it is large enough
		h.Level, h.Type = unix.IPPROTO_UDP, unix.UDP_SEGMENT
		h.SetLen(unix.CmsgLen(2))
		control[unix.CmsgLen(0)], control[unix.CmsgLen(0)+1] = byte(segment), byte(segment>>8)
	}
	address := unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}
	var failed error
	err := s.raw.Write(func(fd uintptr) bool {
		_, failed = unix.SendmsgBuffers(int(fd), parts, control, &address, unix.MSG_DONTWAIT)
		return !errors.Is(failed, unix.EAGAIN)
	})
	return cmp.Or(err, failed)
}
