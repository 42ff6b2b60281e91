package dds

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros2/internal/rtps"
	"rsros/ros2/internal/udp"
)

// Range is how far a participant looks for others.
type Range int

// Ranges, as ROS_AUTOMATIC_DISCOVERY_RANGE names them.
const (
	Subnet Range = iota
	Localhost
	Off // finds nobody, and is found by nobody
)

// Config describes a participant.
type Config struct {
	Domain   int
	Range    Range
	Peers    []netip.Addr // that are announced to by unicast, for networks without multicast
	UserData string
	// Changed is called, from any goroutine, when participants or endpoints have come or gone. It must not block.
	Changed func()
	Log     zerolog.Logger
}

const (
	maxDomain  = 232
	portBase   = 7400
	portDomain = 250
	portMeta   = 10
	portUser   = 11
	maxIndex   = 120
)

var multicastGroup = netip.AddrFrom4([4]byte{239, 255, 0, 1})

// ErrClosed is returned by methods of what has been closed.
var ErrClosed = errors.New("the ROS 2 node is closed")

// Participant is a participant of a domain.
type Participant struct {
	config    Config
	log       zerolog.Logger
	prefix    rtps.Prefix
	own       []netip.Addr // addresses of this machine that aren't loopback
	announced []netip.Addr // where we are reached
	static    []netip.AddrPort

	multicast  *udp.Socket // receives announcements; nil if the range is Off
	meta, data *udp.Socket
	senders    []*udp.Socket // of multicast, one for each interface

	// mu guards:
	mu         sync.Mutex
	closed     bool
	remotes    map[rtps.Prefix]*remote
	endpoints  int // of all remotes
	locals     map[rtps.EntityID]local
	lastEntity uint32

	publications, subscriptions *Writer // of SEDP

	filter func(*rtps.Submessage) bool // reports false for what a test loses; nil: nothing

	pacers pacers
	wg     sync.WaitGroup
	stop   context.CancelFunc
}

// Join starts a participant.
func Join(config Config) (*Participant, error) { return join(config, nil) }

func join(config Config, filter func(*rtps.Submessage) bool) (*Participant, error) {
	if config.Domain < 0 || config.Domain > maxDomain {
		return nil, fmt.Errorf("join ROS 2: domain %d: want 0 to %d", config.Domain, maxDomain)
	}
	p := &Participant{
		filter: filter, config: config, log: config.Log, remotes: map[rtps.Prefix]*remote{},
		locals: map[rtps.EntityID]local{},
	}
	p.prefix[0], p.prefix[1] = rtps.Vendor[0], rtps.Vendor[1]
	rand.Read(p.prefix[2:]) //nolint:errcheck // never fails
	if err := p.open(); err != nil {
		p.closeSockets()
		return nil, fmt.Errorf("join ROS 2, domain %d: %w", config.Domain, err)
	}
	reliable := QoS{Reliable: true, TransientLocal: true, Depth: 1 << 30}
	p.publications = newWriter(p, WriterOptions{QoS: reliable})
	p.subscriptions = newWriter(p, WriterOptions{QoS: reliable})
	for id, l := range map[rtps.EntityID]local{
		rtps.PublicationsWriter: p.publications, rtps.SubscriptionsWriter: p.subscriptions,
		rtps.PublicationsReader:  newReader(p, ReaderOptions{QoS: reliable, Callback: p.heardEndpoint}),
		rtps.SubscriptionsReader: newReader(p, ReaderOptions{QoS: reliable, Callback: p.heardEndpoint}),
	} {
		p.enter(l, id) //nolint:errcheck // it is open
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	for _, s := range []*udp.Socket{p.multicast, p.meta, p.data} {
		if s != nil {
			p.wg.Go(func() { p.receive(s) })
		}
	}
	p.wg.Go(func() { p.keepAlive(ctx) })
	return p, nil
}

// open opens the sockets: unicast at the first pair of ports that is free.
func (p *Participant) open() error {
	own, loopback, err := udp.Addresses()
	if err != nil {
		return err
	}
	p.own = own
	p.announced, own = own, append(own[:len(own):len(own)], loopback...)
	if p.config.Range == Localhost {
		own = loopback
	}
	if len(p.announced) == 0 {
		p.announced = loopback
	}
	for i := 0; i < maxIndex && p.data == nil; i++ {
		if p.meta, err = udp.Listen(p.port(portMeta + 2*i)); err != nil {
			continue
		}
		if p.data, err = udp.Listen(p.port(portUser + 2*i)); err != nil {
			p.meta.Close() //nolint:errcheck // nothing was sent
		}
	}
	if err != nil {
		return err
	}
	p.warnOfSmallBuffer()
	if p.config.Range == Off {
		return nil
	}
	if p.multicast, err = udp.ListenMulticast(p.port(0), multicastGroup, own); err != nil {
		if len(p.config.Peers) == 0 {
			return err
		}
		p.log.Warn().Err(err).Msg("there is no multicast; only the given peers are looked for")
	} else {
		for _, a := range own {
			if s, err := udp.MulticastSender(a); err == nil {
				p.senders = append(p.senders, s)
			}
		}
	}
	for _, a := range p.config.Peers {
		for i := range staticPeerPorts {
			p.static = append(p.static, netip.AddrPortFrom(a, uint16(p.port(portMeta+2*i))))
		}
	}
	return nil
}

// warnOfSmallBuffer says that the kernel buffers less than was asked for.
func (p *Participant) warnOfSmallBuffer() {
	size, wanted, err := p.data.ReceiveBuffer()
	if err == nil && size < wanted {
		p.log.Warn().Int("bytes", size).Int("wanted", wanted).
			Msg("the kernel's receive buffer is small, so images may be lost: set net.core.rmem_max")
	}
}

func (p *Participant) port(offset int) int { return portBase + portDomain*p.config.Domain + offset }

func (p *Participant) group() netip.AddrPort {
	return netip.AddrPortFrom(multicastGroup, uint16(p.port(0)))
}

func (p *Participant) isOwn(a netip.Addr) bool { return udp.IsLocal(p.own, a) }

// admits reports whether a participant at an address is within the range.
func (c *Config) admits(a netip.Addr, own []netip.Addr) bool {
	return c.Range == Subnet || c.Range == Localhost && (udp.IsLocal(own, a) || slices.Contains(c.Peers, a))
}

// keepAlive announces this participant, and forgets others.
func (p *Participant) keepAlive(ctx context.Context) {
	next := time.Now()
	for sent := 0; ; {
		now := time.Now()
		if !now.Before(next) && p.config.Range != Off {
			p.announce()
			sent++
			next = now.Add(announceEvery)
			if sent < announceFirst {
				next = now.Add(announceEarly)
			}
		}
		p.expire(now)
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(max(time.Until(next), time.Millisecond), time.Second)):
		}
	}
}

// receive handles what arrives at a socket until it is closed.
func (p *Participant) receive(s *udp.Socket) {
	b := make([]byte, udp.MaxDatagram)
	var m rtps.Submessage
	for {
		n, from, err := s.Receive(b)
		if errors.Is(err, net.ErrClosed) {
			return
		} else if err != nil {
			continue // an error of the network, which is reported once
		}
		scanner, ok := rtps.Scan(b[:n])
		if !ok {
			continue
		}
		for scanner.Next(&m) {
			p.handle(&m, from)
		}
		if err := scanner.Err(); err != nil {
			p.log.Debug().Err(err).Stringer("from", from).Msg("malformed datagram")
		}
	}
}

// handle passes a submessage to the endpoint that it is for.
func (p *Participant) handle(m *rtps.Submessage, from netip.AddrPort) {
	if m.Source == p.prefix || m.Dest != (rtps.Prefix{}) && m.Dest != p.prefix || p.filter != nil && !p.filter(m) {
		return
	}
	if m.Writer == rtps.ParticipantAnnouncer {
		if m.Kind == rtps.Data {
			p.heardParticipant(m, from)
		}
		return
	}
	var room [8]local
	for _, l := range p.receivers(room[:0], m) {
		l.receive(m)
	}
}

// receivers appends the endpoints that a submessage is for.
func (p *Participant) receivers(list []local, m *rtps.Submessage) []local {
	to, from := m.Reader, m.Writer
	if m.Kind == rtps.AckNack || m.Kind == rtps.NackFrag {
		to, from = from, to
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if to != rtps.UnknownEntity {
		if l := p.locals[to]; l != nil {
			list = append(list, l)
		}
		return list
	}
	for _, l := range p.locals {
		if l.has(m.Source.GUID(from)) {
			list = append(list, l)
		}
	}
	return list
}

func (p *Participant) changed() {
	if p.config.Changed != nil {
		p.config.Changed()
	}
}

// GUID returns the participant's.
func (p *Participant) GUID() rtps.GUID { return p.prefix.GUID(rtps.Participant) }

// Close tells others that this participant leaves, closes its endpoints and waits for its goroutines.
func (p *Participant) Close() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	p.takeLeave()
	p.mu.Lock()
	p.closed = true
	for _, l := range p.locals {
		l.end()
	}
	clear(p.remotes)
	p.mu.Unlock()
	p.stop()
	p.closeSockets()
	p.wg.Wait()
}

func (p *Participant) closeSockets() {
	for _, s := range append([]*udp.Socket{p.multicast, p.meta, p.data}, p.senders...) {
		if s != nil {
			s.Close() //nolint:errcheck // nothing is buffered
		}
	}
}
