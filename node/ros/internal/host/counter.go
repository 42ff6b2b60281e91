package host

import (
	"net"
	"sync"
)

// Counter counts what each host has open. The zero value counts nothing yet.
type Counter struct {
	mu     sync.Mutex
	counts map[string]int
}

// Add counts one more for a host; false if it has most already.
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

// Of is an address without its port.
func Of(a net.Addr) string {
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return host
}
