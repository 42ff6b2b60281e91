package ros

import (
	"context"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// advertisedHost returns the host name or address to advertise if none is configured. With a remote master it is the
// address of the interface that routes to it, which the master's machine can reach without a name service. With a local
// master it is the host name if that resolves, so that other machines can reach the node, otherwise the loopback
// address.
func advertisedHost(ctx context.Context, masterURI string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if u, err := url.Parse(masterURI); err == nil && !isLoopback(u.Hostname()) {
		// Connecting a UDP socket sends nothing; it only selects the route.
		var d net.Dialer
		if conn, err := d.DialContext(ctx, "udp", net.JoinHostPort(u.Hostname(), "9")); err == nil {
			defer conn.Close()
			return conn.LocalAddr().(*net.UDPAddr).IP.String()
		}
	}
	name, err := os.Hostname()
	if err == nil && name != "" && name != "localhost" {
		if _, err := net.DefaultResolver.LookupHost(ctx, name); err == nil {
			return name
		}
	}
	return "127.0.0.1"
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// listenAddress returns the address to listen on: the loopback interface if the
// advertised host is loopback, otherwise every interface.
func listenAddress(host string) string {
	if isLoopback(host) {
		return net.JoinHostPort(host, "0")
	}
	return ":0"
}

// hostCounter counts open connections by host. The zero value is ready to use.
type hostCounter struct {
	mu     sync.Mutex
	counts map[string]int
}

// add counts one more for a host. It returns false if the host already has most.
func (p *hostCounter) add(host string, most int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts[host] >= most {
		return false
	}
	if p.counts == nil {
		p.counts = make(map[string]int)
	}
	p.counts[host]++
	return true
}

// remove counts one less for a host.
func (p *hostCounter) remove(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts[host]--; p.counts[host] <= 0 {
		delete(p.counts, host)
	}
}

// hostOf returns an address without its port.
func hostOf(a net.Addr) string {
	host, _, _ := net.SplitHostPort(a.String()) // addresses of TCP and UDP have a port
	return host
}
