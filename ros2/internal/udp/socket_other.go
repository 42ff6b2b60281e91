//go:build !linux

package udp

import "net/netip"

// Socket is a UDP socket of IPv4.
type Socket struct{}

// Listen fails with ErrUnsupported.
func Listen(int) (*Socket, error) { return nil, ErrUnsupported }

// ListenMulticast fails with ErrUnsupported.
func ListenMulticast(int, netip.Addr, []netip.Addr) (*Socket, error) { return nil, ErrUnsupported }

// MulticastSender fails with ErrUnsupported.
func MulticastSender(netip.Addr) (*Socket, error) { return nil, ErrUnsupported }

// Port returns 0.
func (s *Socket) Port() int { return 0 }

// ReceiveBuffer fails with ErrUnsupported.
func (s *Socket) ReceiveBuffer() (size, wanted int, err error) { return 0, 0, ErrUnsupported }

// Receive fails with ErrUnsupported.
func (s *Socket) Receive([]byte) (int, netip.AddrPort, error) {
	return 0, netip.AddrPort{}, ErrUnsupported
}

// Send fails with ErrUnsupported.
func (s *Socket) Send(netip.AddrPort, ...[]byte) error { return ErrUnsupported }

// SendSegments fails with ErrUnsupported.
func (s *Socket) SendSegments(netip.AddrPort, int, [][]byte) error { return ErrUnsupported }

// Close does nothing.
func (s *Socket) Close() error { return nil }
