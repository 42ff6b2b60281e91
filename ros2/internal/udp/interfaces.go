package udp

import (
	"fmt"
	"net"
	"net/netip"
)

// Addresses returns the IPv4 addresses of the interfaces that are up, and separately those of loopback interfaces.
func Addresses() (own, loopback []netip.Addr, err error) {
	list, err := net.Interfaces()
	if err != nil {
		return nil, nil, fmt.Errorf("list network interfaces: %w", err)
	}
	for _, i := range list {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		addresses, err := i.Addrs()
		if err != nil {
			continue // the interface has gone
		}
		for _, a := range addresses {
			p, err := netip.ParsePrefix(a.String())
			if err != nil || !p.Addr().Unmap().Is4() {
				continue
			}
			if ip := p.Addr().Unmap(); ip.IsLoopback() {
				loopback = append(loopback, ip)
			} else {
				own = append(own, ip)
			}
		}
	}
	return own, loopback, nil
}
