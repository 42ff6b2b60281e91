package dds

import (
	"net/netip"
	"sync"
	"time"
)

// A pacer spreads what is sent to a receiver. Fast DDS receives into the kernel's default buffer, which holds three
// large datagrams: an image that is sent at once is lost.
type pacer struct {
	mu    sync.Mutex
	free  time.Time // when what was sent so far has been received
	rate  float64   // bytes a second
	burst float64   // bytes that the receiver's buffer takes at once
	refs  int       // guarded by pacers.mu
}

const (
	maxRate     = 140e6 // bytes a second
	minRate     = 100e6 // less is too slow for 720p at 30 Hz: a starved receiver then loses more than by the pace
	localBurst  = 130 << 10
	remoteBurst = 56e3 // the kernel's buffer holds some 90 datagrams of an Ethernet frame
	takeRate    = 1e9  // bytes a second at which Fast DDS hands over a sample; it receives nothing meanwhile
	slowdown    = 0.85 // after a loss
	speedup     = 10e6 // after a sample without loss, in bytes a second
	lossApart   = 20 * time.Millisecond
)

// take accounts for size bytes, and returns how long to wait before sending them.
func (c *pacer) take(now time.Time, size int) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	ahead := time.Duration(c.burst / c.rate * 1e9)
	if c.free.Before(now.Add(-ahead)) {
		c.free = now.Add(-ahead)
	}
	c.free = c.free.Add(time.Duration(float64(size) / c.rate * 1e9))
	return c.free.Sub(now)
}

// rest gives the receiver the time to hand a whole sample to its subscriber.
func (c *pacer) rest(size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free = c.free.Add(time.Duration(float64(size) / takeRate * 1e9))
}

// lost slows down, arrived speeds up.
func (c *pacer) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rate = max(c.rate*slowdown, minRate)
}

func (c *pacer) arrived() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rate = min(c.rate+speedup, maxRate)
}

// pacers has the pacer of each receiver: a socket on this machine, whose buffer is the bound, or another machine.
type pacers struct {
	mu   sync.Mutex
	list map[netip.AddrPort]*pacer
}

func pacerKey(to netip.AddrPort, local bool) netip.AddrPort {
	if local {
		return to
	}
	return netip.AddrPortFrom(to.Addr(), 0)
}

func (s *pacers) get(key netip.AddrPort) *pacer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list = map[netip.AddrPort]*pacer{}
	}
	c := s.list[key]
	if c == nil {
		c = &pacer{rate: maxRate, burst: localBurst}
		if key.Port() == 0 {
			c.burst = remoteBurst
		}
		s.list[key] = c
	}
	c.refs++
	return c
}

func (s *pacers) put(key netip.AddrPort) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.list[key]; c != nil {
		if c.refs--; c.refs == 0 {
			delete(s.list, key)
		}
	}
}
