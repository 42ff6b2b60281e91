package dds

import (
	"cmp"
	"net/netip"
	"strings"
	"time"

	"rsros/ros2/internal/rtps"
)

const (
	announceEvery   = 3 * time.Second
	announceEarly   = 100 * time.Millisecond // between the first ones
	announceFirst   = 5
	lease           = 20 * time.Second
	minLease        = time.Second
	maxLease        = 10 * time.Minute // also of a participant that claims more, or none
	ourEndpoints    = 0x3f             // both of participants, publications and subscriptions
	staticPeerPorts = 4                // of participants at an address without multicast
)

// remote is another participant.
type remote struct {
	ParticipantInfo
	prefix    rtps.Prefix
	meta      netip.AddrPort // of discovery
	data      netip.AddrPort // of everything else, unless an endpoint says otherwise
	host      netip.Addr     // for the bound of each
	lease     time.Duration
	seen      time.Time
	endpoints map[rtps.GUID]*Endpoint
	held      held
}

// announcement returns the payload of our SPDP sample.
func (p *Participant) announcement() []byte {
	guid := p.prefix.GUID(rtps.Participant)
	b := rtps.AppendEncapsulation(nil)
	b = rtps.AppendParameter(b, rtps.PIDProtocol, protocolVersion...)
	b = rtps.AppendParameter(b, rtps.PIDVendor, rtps.Vendor[0], rtps.Vendor[1], 0, 0)
	b = rtps.AppendParameter(b, rtps.PIDParticipantGUID, guid[:]...)
	if p.multicast != nil {
		b = rtps.AppendLocator(b, rtps.PIDMetaMulticast, p.group())
	}
	for _, a := range p.announced {
		b = rtps.AppendLocator(b, rtps.PIDMetaLocator, netip.AddrPortFrom(a, uint16(p.meta.Port())))
		b = rtps.AppendLocator(b, rtps.PIDDefaultLocator, netip.AddrPortFrom(a, uint16(p.data.Port())))
	}
	b = rtps.AppendU32s(b, rtps.PIDLease, uint32(lease/time.Second), 0)
	b = rtps.AppendU32s(b, rtps.PIDEndpointSet, ourEndpoints)
	b = rtps.AppendText(b, rtps.PIDEntityName, "/") // as rmw_fastrtps names its participants
	if p.config.UserData != "" {
		b = rtps.AppendOctets(b, rtps.PIDUserData, p.config.UserData)
	}
	return rtps.AppendSentinel(b)
}

// announce sends our SPDP sample to the given addresses, or by multicast and to the static peers.
func (p *Participant) announce(to ...netip.AddrPort) {
	p.spread(p.spdp(1, nil, p.announcement()), to...)
}

// spdp returns a datagram of SPDP.
func (p *Participant) spdp(number int64, inline, payload []byte) []byte {
	sample := rtps.Sample{
		Reader: rtps.ParticipantListener, Writer: rtps.ParticipantAnnouncer, Number: number, Inline: inline,
	}
	b := rtps.AppendTime(rtps.AppendHeader(nil, p.prefix, rtps.Prefix{}), time.Now().UnixNano())
	return append(rtps.AppendData(b, &sample, len(payload)), payload...)
}

// takeLeave tells everyone that this participant has ended.
func (p *Participant) takeLeave() {
	b := p.spdp(2, disposal(p.GUID()), nil)
	p.mu.Lock()
	var peers []netip.AddrPort
	for _, r := range p.remotes {
		peers = append(peers, r.meta)
	}
	p.mu.Unlock()
	if p.multicast != nil {
		p.spread(b)
	}
	if len(peers) > 0 {
		p.spread(b, peers...)
	}
}

// disposal returns inline QoS that disposes of an endpoint or a participant.
func disposal(g rtps.GUID) []byte {
	b := rtps.AppendParameter(nil, rtps.PIDKeyHash, g[:]...)
	b = rtps.AppendParameter(b, rtps.PIDStatusInfo, 0, 0, 0, rtps.Disposed|rtps.Unregistered)
	return rtps.AppendSentinel(b)
}

// spread sends a datagram to the given addresses or, if there are none, to everyone.
func (p *Participant) spread(b []byte, to ...netip.AddrPort) {
	if len(to) == 0 {
		for _, s := range p.senders {
			s.Send(p.group(), 0, b) //nolint:errcheck // an interface may be down; the next announcement is sent all the same
		}
		to = p.static
	}
	for _, a := range to {
		p.meta.Send(a, 0, b) //nolint:errcheck // as above
	}
}

// heardParticipant takes in an SPDP sample.
func (p *Participant) heardParticipant(m *rtps.Submessage, from netip.AddrPort) {
	list, ok := rtps.ParseParameters(m.Payload)
	if m.Inline.Status() != 0 {
		g := disposed(m.Inline, list, rtps.PIDParticipantGUID)
		if g == (rtps.GUID{}) || g.Prefix() == m.Source {
			p.forget(m.Source, "left")
		}
		return
	}
	if !ok || m.Source == p.prefix {
		return
	}
	fresh := parseParticipant(list)
	if fresh.prefix != m.Source || !fresh.meta.IsValid() || !p.config.admits(from.Addr(), p.own) {
		return
	}
	fresh.host, fresh.Address = from.Addr(), fresh.meta.String()
	if !fresh.data.IsValid() {
		fresh.data = fresh.meta
	}
	if p.greet(fresh) {
		p.announce(fresh.meta)
		p.changed()
	}
}

// greet adds a participant, or renews its lease. It reports whether the participant is new.
func (p *Participant) greet(fresh *remote) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.remotes[fresh.prefix]; r != nil {
		r.seen, r.lease = time.Now(), fresh.lease
		return false
	}
	fromHost := 0
	for _, r := range p.remotes {
		if r.host == fresh.host {
			fromHost++
		}
	}
	if p.closed || len(p.remotes) >= maxParticipants || fromHost >= maxParticipantsByHost {
		return false
	}
	fresh.seen = time.Now()
	p.remotes[fresh.prefix] = fresh
	for id, l := range p.locals {
		if own := l.self(); own.builtin() {
			l.add(fresh, &Endpoint{GUID: fresh.prefix.GUID(counterpart(id)), QoS: own.QoS})
		}
	}
	p.log.Debug().Stringer("participant", fresh.prefix).Str("name", fresh.Name).Str("address", fresh.Address).
		Msg("participant found")
	return true
}

// counterpart returns the reader of a builtin writer, and the reverse.
func counterpart(e rtps.EntityID) rtps.EntityID {
	e[3] ^= 0xc2 ^ 0xc7
	return e
}

func parseParticipant(list rtps.Parameters) *remote {
	r := &remote{lease: lease, endpoints: map[rtps.GUID]*Endpoint{}}
	for q := range list.All() {
		switch q.ID {
		case rtps.PIDParticipantGUID:
			if g, ok := q.GUID(); ok {
				r.GUID, r.prefix = g, g.Prefix()
			}
		case rtps.PIDVendor:
			copy(r.Vendor[:], q.Value)
		case rtps.PIDLease:
			r.lease = cmp.Or(q.Duration(0), maxLease)
		case rtps.PIDEntityName:
			r.Name = q.Text()
		case rtps.PIDUserData:
			_, rest, _ := strings.Cut(strings.TrimRight(string(q.Octets()), "\x00"), "enclave=")
			r.Enclave, _, _ = strings.Cut(rest, ";")
		case rtps.PIDMetaLocator:
			r.meta = cmp.Or(r.meta, q.Locator())
		case rtps.PIDDefaultLocator:
			r.data = cmp.Or(r.data, q.Locator())
		}
	}
	r.lease = min(max(r.lease, minLease), maxLease)
	r.Name, r.Enclave = r.Name[:min(len(r.Name), maxName)], r.Enclave[:min(len(r.Enclave), maxName)]
	return r
}

// forget removes a participant with everything that belongs to it.
func (p *Participant) forget(prefix rtps.Prefix, why string) {
	p.mu.Lock()
	r := p.remotes[prefix]
	if r == nil {
		p.mu.Unlock()
		return
	}
	delete(p.remotes, prefix)
	p.endpoints -= len(r.endpoints)
	for _, l := range p.locals {
		l.remove(func(g rtps.GUID) bool { return g.Prefix() == prefix })
	}
	p.mu.Unlock()
	p.log.Debug().Stringer("participant", prefix).Str("name", r.Name).Msg("participant " + why)
	p.changed()
}

// expire forgets participants that haven't been heard of for the time of their lease.
func (p *Participant) expire(now time.Time) {
	p.mu.Lock()
	var gone []rtps.Prefix
	for prefix, r := range p.remotes {
		if now.Sub(r.seen) > r.lease {
			gone = append(gone, prefix)
		}
	}
	p.mu.Unlock()
	for _, prefix := range gone {
		p.forget(prefix, "no longer heard")
	}
}
