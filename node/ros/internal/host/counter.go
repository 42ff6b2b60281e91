package host

import (
	"net"
	"sync"
)

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
