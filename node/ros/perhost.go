package ros

import (
	"net"
	"sync"
)

// perHost counts what each host has open. The zero value counts nothing yet.
type perHost struct {
	mu     sync.Mutex
	counts map[string]int
}

// add counts one more for a host; false if it has most already.
func (p *perHost) add(host string, most int) bool {
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

func (p *perHost) remove(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts[host]--; p.counts[host] <= 0 {
		delete(p.counts, host)
	}
}

// hostOf is an address without its port.
func hostOf(a net.Addr) string {
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return host
}
