//go:build !linux

package udp

import (
	"net/netip"
	"time"
)

// Listen fails with ErrUnsupported.
func Listen(int) (*Socket, error) { return nil, ErrUnsupported }

// ListenMulticast fails with ErrUnsupported.
func ListenMulticast(int, netip.Addr, []netip.Addr) (*Socket, error) { return nil, ErrUnsupported }

// MulticastSender fails with ErrUnsupported.
func MulticastSender(netip.Addr) (*Socket, error) { return nil, ErrUnsupported }

// ReceiveBuffer fails with ErrUnsupported.
func (s *Socket) ReceiveBuffer() (size, wanted int, err error) { return 0, 0, ErrUnsupported }

// Send fails with ErrUnsupported.
func (s *Socket) Send(netip.AddrPort, int, ...[]byte) error { return ErrUnsupported }

// Timer waits.
type Timer struct{}

// Sleep waits.
func (t *Timer) Sleep(d time.Duration) { time.Sleep(d) }

// Close frees the timer.
func (t *Timer) Close() {}
