// Package host finds the name that a node tells others to reach it by, and the
// address to listen on.
package host

import (
	"context"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
)

// Advertised is the name or address that this node gives to others when
// nobody set one. With a master elsewhere it is the address of the interface
// that leads there: the master's machine can reach that without any name
// service. With a master on this machine it is the host name if that resolves,
// so that other machines can reach us, else the loopback address.
func Advertised(ctx context.Context, masterURI string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if u, err := url.Parse(masterURI); err == nil && !IsLoopback(u.Hostname()) {
		// Connecting UDP sends nothing; it only asks for the route.
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

// ListenAddress is what to listen on: only this machine if that is all that the
// advertised host can mean, else every interface.
func ListenAddress(host string) string {
	if IsLoopback(host) {
		return net.JoinHostPort(host, "0")
	}
	return ":0"
}
