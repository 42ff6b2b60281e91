// Package host finds the address that a node advertises and the one it listens on.
package host

import (
	"context"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// Advertised returns the host name or address to advertise if none is configured. With
// a remote master it is the address of the interface that routes to it, which the
// master's machine can reach without a name service. With a local master it is the host
// name if that resolves, so that other machines can reach the node, otherwise the
// loopback address.
func Advertised(ctx context.Context, masterURI string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if u, err := url.Parse(masterURI); err == nil && !IsLoopback(u.Hostname()) {
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

func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// ListenAddress returns the address to listen on: the loopback interface if the
// advertised host is loopback, otherwise every interface.
func ListenAddress(host string) string {
	if IsLoopback(host) {
		return net.JoinHostPort(host, "0")
	}
	return ":0"
}

// Counter counts open connections by host. The zero value is ready to use.
type Counter struct {
	mu     sync.Mutex
	counts map[string]int
}

// Add counts one more for a host. It returns false if the host already has most.
func (p *Counter) Add(host string, most int) bool {
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

// Remove counts one less for a host.
func (p *Counter) Remove(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts[host]--; p.counts[host] <= 0 {
		delete(p.counts, host)
	}
}

// Of returns an address without its port.
func Of(a net.Addr) string {
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return host
}
