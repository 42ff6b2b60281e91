package rtps

import (
	"encoding/binary"
	"math"
	"net/netip"
	"time"
)

// Ids of parameters.
const (
	PIDSentinel           = 0x0001
	PIDLease              = 0x0002
	PIDTopic              = 0x0005
	PIDType               = 0x0007
	PIDProtocol           = 0x0015
	PIDVendor             = 0x0016
	PIDReliability        = 0x001a
	PIDLiveliness         = 0x001b
	PIDDurability         = 0x001d
	PIDOwnership          = 0x001f
	PIDDeadline           = 0x0023
	PIDPartition          = 0x0029
	PIDUserData           = 0x002c
	PIDUnicastLocator     = 0x002f
	PIDDefaultLocator     = 0x0031
	PIDMetaLocator        = 0x0032
	PIDMetaMulticast      = 0x0033
	PIDParticipantGUID    = 0x0050
	PIDEndpointSet        = 0x0058
	PIDEndpointGUID       = 0x005a
	PIDEntityName         = 0x0062
	PIDKeyHash            = 0x0070
	PIDStatusInfo         = 0x0071
	PIDDataRepresentation = 0x0073
	PIDRelatedSample      = 0x0083 // of a service's request and reply
	PIDRelatedSampleOld   = 0x800f // the same, as Fast DDS numbered it first

	mustUnderstand = 0x4000
	vendorSpecific = 0x8000
)

// Bits of PIDStatusInfo.
const (
	Disposed     = 1
	Unregistered = 2
)

// Encapsulation of a payload.
const (
	EncapsulationSize = 4
	plCDRBig          = 0x0002
	plCDRLittle       = 0x0003
)

// Parameters is a list of parameters up to its sentinel, as it was received.
type Parameters struct {
	b   []byte
	big bool
}

// Parameter is one of them. Value's length is a multiple of 4.
type Parameter struct {
	ID    uint16
	Value []byte
	big   bool
}

// parameters reads an inline list.
func (c *cursor) parameters() Parameters {
	start := c.at
	for !c.failed {
		id, size := c.u16(), int(c.u16())
		if id == PIDSentinel {
			return Parameters{b: c.b[start:c.at], big: c.big}
		}
		if c.bytes(size); size%4 != 0 {
			c.failed = true
		}
	}
	return Parameters{}
}

// ParseParameters reads a payload in the form of PL_CDR.
func ParseParameters(payload []byte) (Parameters, bool) {
	if len(payload) < EncapsulationSize {
		return Parameters{}, false
	}
	form := binary.BigEndian.Uint16(payload)
	c := cursor{b: payload, at: EncapsulationSize, big: form == plCDRBig}
	if form != plCDRBig && form != plCDRLittle {
		return Parameters{}, false
	}
	list := c.parameters()
	return list, !c.failed
}

// All calls do for each parameter.
func (p Parameters) All(do func(Parameter)) {
	c := cursor{b: p.b, big: p.big}
	for {
		id, size := c.u16(), int(c.u16())
		value := c.bytes(size)
		if c.failed || id == PIDSentinel {
			return
		}
		if id&vendorSpecific == 0 {
			id &^= mustUnderstand
		}
		do(Parameter{ID: id, Value: value, big: p.big})
	}
}

// Get returns the first parameter with an id.
func (p Parameters) Get(id uint16) (found Parameter, ok bool) {
	p.All(func(q Parameter) {
		if q.ID == id && !ok {
			found, ok = q, true
		}
	})
	return found, ok
}

// Status returns the bits of PIDStatusInfo.
func (p Parameters) Status() byte {
	if q, ok := p.Get(PIDStatusInfo); ok && len(q.Value) >= 4 {
		return q.Value[3] // big-endian in every list
	}
	return 0
}

// U32 returns the value as a number; ok is false if it is too short.
func (q Parameter) U32() (v uint32, ok bool) {
	c := cursor{b: q.Value, big: q.big}
	v = c.u32()
	return v, !c.failed
}

// GUID returns the value as a GUID.
func (q Parameter) GUID() (g GUID, ok bool) { return g, copy(g[:], q.Value) == len(g) }

// Octets returns the value as a sequence of bytes.
func (q Parameter) Octets() []byte {
	c := cursor{b: q.Value, big: q.big}
	return c.bytes(int(c.u32()))
}

// Text returns the value as a string, without what follows a NUL.
func (q Parameter) Text() string {
	b := q.Octets()
	for i, v := range b {
		if v == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// Duration returns the value from an offset on as a duration, 0 if it is infinite or malformed.
func (q Parameter) Duration(offset int) time.Duration {
	c := cursor{b: q.Value, at: min(offset, len(q.Value)), big: q.big}
	seconds, fraction := int32(c.u32()), c.u32() // of a second in 2^-32
	if c.failed || seconds == math.MaxInt32 || seconds < 0 {
		return 0
	}
	return time.Duration(seconds)*time.Second + time.Duration(uint64(fraction)*1e9>>32)
}

// Sample returns the identity of a sample: its writer and its number.
func (q Parameter) Sample() (writer GUID, number int64, ok bool) {
	c := cursor{b: q.Value, big: q.big}
	copy(writer[:], c.bytes(len(writer)))
	number = c.number()
	return writer, number, !c.failed
}

// locatorUDPv4 is the kind of the locators that are used; others, such as shared memory, are left out.
const locatorUDPv4 = 1

// Locator returns the value as an address of UDP over IPv4; ok is false if it is another kind.
func (q Parameter) Locator() (a netip.AddrPort, ok bool) {
	c := cursor{b: q.Value, big: q.big}
	kind, port, address := c.u32(), c.u32(), c.bytes(16)
	if c.failed || kind != locatorUDPv4 || port == 0 || port > 0xffff {
		return a, false
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(address[12:])), uint16(port)), true
}

// Clone returns a copy that doesn't point into the datagram.
func (p Parameters) Clone() Parameters { return Parameters{b: append([]byte(nil), p.b...), big: p.big} }
