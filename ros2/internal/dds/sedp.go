package dds

import (
	"cmp"
	"slices"

	"rsros/ros2/internal/rtps"
)

const (
	wireBestEffort     = 1
	wireReliable       = 2
	wireTransientLocal = 1
)

var protocolVersion = []byte{2, 3, 0, 0}

// appendEndpoint appends what SEDP says of one of our endpoints.
func appendEndpoint(b []byte, e *Endpoint) []byte {
	participant := e.GUID.Prefix().GUID(rtps.Participant)
	reliability, durability := uint32(wireBestEffort), uint32(0)
	if e.QoS.Reliable {
		reliability = wireReliable
	}
	if e.QoS.TransientLocal {
		durability = wireTransientLocal
	}
	b = rtps.AppendEncapsulation(b)
	b = rtps.AppendParameter(b, rtps.PIDEndpointGUID, e.GUID[:]...)
	b = rtps.AppendParameter(b, rtps.PIDParticipantGUID, participant[:]...)
	b = rtps.AppendText(b, rtps.PIDTopic, e.Topic)
	b = rtps.AppendText(b, rtps.PIDType, e.Type)
	b = rtps.AppendParameter(b, rtps.PIDKeyHash, e.GUID[:]...)
	b = rtps.AppendParameter(b, rtps.PIDProtocol, protocolVersion...)
	b = rtps.AppendParameter(b, rtps.PIDVendor, rtps.Vendor[0], rtps.Vendor[1], 0, 0)
	b = rtps.AppendU32s(b, rtps.PIDDurability, durability)
	b = rtps.AppendU32s(b, rtps.PIDReliability, reliability, 0, 100<<22) // blocks for 100/1024 s
	if e.UserData != "" {
		b = rtps.AppendOctets(b, rtps.PIDUserData, e.UserData)
	}
	return rtps.AppendSentinel(b)
}

// parseEndpoint reads what SEDP says of an endpoint. What is absent has its default.
func parseEndpoint(list rtps.Parameters) (e Endpoint, ok bool) {
	if e.GUID, ok = list.Get(rtps.PIDEndpointGUID).GUID(); !ok {
		return e, false
	}
	e.QoS.Reliable = e.writes()
	for q := range list.All() {
		v := q.U32()
		switch q.ID {
		case rtps.PIDTopic:
			e.Topic = q.Text()
		case rtps.PIDType:
			e.Type = q.Text()
		case rtps.PIDUserData:
			e.UserData = string(q.Octets())
		case rtps.PIDReliability:
			e.QoS.Reliable = v == wireReliable
		case rtps.PIDDurability:
			e.QoS.TransientLocal = v >= wireTransientLocal
		case rtps.PIDDeadline:
			e.foreign.deadline = q.Duration(0)
		case rtps.PIDLiveliness:
			e.foreign.liveliness, e.foreign.lease = v, q.Duration(4)
		case rtps.PIDOwnership:
			e.foreign.exclusive = v != 0
		case rtps.PIDPartition:
			e.foreign.partition = v != 0
		case rtps.PIDDataRepresentation:
			e.foreign.noXCDR1 = !hasXCDR1(q)
		case rtps.PIDUnicastLocator:
			e.locator = cmp.Or(e.locator, q.Locator())
		}
	}
	return e, e.Topic != "" && e.Type != "" && max(len(e.Topic), len(e.Type), len(e.UserData)) <= maxName
}

// hasXCDR1 reports whether a list of 16-bit representations has XCDR1, which is 0, or is empty, which means the same.
func hasXCDR1(q rtps.Parameter) bool {
	n := int64(q.U32())
	if n == 0 {
		return true
	}
	list := q.Value[4:]
	for pair := range slices.Chunk(list[:min(2*n, int64(len(list)))], 2) {
		if pair[0] == 0 && pair[1] == 0 {
			return true
		}
	}
	return false
}

// heardEndpoint takes in what a peer's SEDP writer says.
func (p *Participant) heardEndpoint(s *Sample) {
	list, ok := rtps.ParseParameters(s.Payload)
	if s.Inline.Status() != 0 {
		if g := disposed(s.Inline, list, rtps.PIDEndpointGUID); g.Prefix() == s.Writer.Prefix() {
			p.forgetEndpoint(g)
		}
		return
	}
	if !ok {
		return
	}
	e, ok := parseEndpoint(list)
	if !ok || e.GUID.Prefix() != s.Writer.Prefix() {
		return
	}
	p.mu.Lock()
	r := p.remotes[e.GUID.Prefix()]
	if r == nil {
		p.mu.Unlock()
		return
	}
	if _, known := r.endpoints[e.GUID]; !known {
		if len(r.endpoints) >= maxEndpoints || p.endpoints >= maxAllEndpoints {
			p.mu.Unlock()
			p.log.Warn().Str("topic", e.Topic).Stringer("participant", r.prefix).
				Msg("a participant has too many endpoints; ignoring one")
			return
		}
		p.endpoints++
	}
	r.endpoints[e.GUID] = &e
	for _, l := range p.locals {
		connect(l, r, &e)
	}
	p.mu.Unlock()
	p.changed()
}

// disposed returns what a disposal names: by its key hash, or by its key, which is a parameter of its payload.
func disposed(inline, payload rtps.Parameters, key uint16) rtps.GUID {
	g, ok := inline.Get(rtps.PIDKeyHash).GUID()
	if !ok {
		g, _ = payload.Get(key).GUID()
	}
	return g
}

func (p *Participant) forgetEndpoint(g rtps.GUID) {
	p.mu.Lock()
	if r := p.remotes[g.Prefix()]; r != nil && r.endpoints[g] != nil {
		delete(r.endpoints, g)
		p.endpoints--
		for _, l := range p.locals {
			l.remove(func(other rtps.GUID) bool { return other == g })
		}
	}
	p.mu.Unlock()
	p.changed()
}
