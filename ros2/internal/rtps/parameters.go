package rtps

import (
	"bytes"
	"encoding/binary"
	"iter"
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
	encapsulationSize = 4
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
	c := cursor{b: payload, big: true}
	form := binary.BigEndian.Uint16(c.fixed(encapsulationSize))
	if form != plCDRBig && form != plCDRLittle {
		return Parameters{}, false
	}
	c.big = form == plCDRBig
	list := c.parameters()
	return list, !c.failed
}

// All returns the parameters one after the other.
func (p Parameters) All() iter.Seq[Parameter] {
	return func(yield func(Parameter) bool) {
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
			if !yield(Parameter{ID: id, Value: value, big: p.big}) {
				return
			}
		}
	}
}

// Get returns the first parameter with an id. If there is none, it returns one without a value.
func (p Parameters) Get(id uint16) Parameter {
	for q := range p.All() {
		if q.ID == id {
			return q
		}
	}
	return Parameter{ID: id}
}

// Status returns the bits of PIDStatusInfo.
func (p Parameters) Status() byte {
	if q := p.Get(PIDStatusInfo); len(q.Value) >= 4 {
		return q.Value[3] // big-endian in every list
	}
	return 0
}

// Clone returns a copy that doesn't point into the datagram.
func (p Parameters) Clone() Parameters { return Parameters{b: bytes.Clone(p.b), big: p.big} }

func (q Parameter) cursor() *cursor { return &cursor{b: q.Value, big: q.big} }

// U32 returns the value as a number, 0 if it is too short.
func (q Parameter) U32() uint32 { return q.cursor().u32() }

// GUID returns the value as a GUID; ok is false if it is too short.
func (q Parameter) GUID() (g GUID, ok bool) {
	c := q.cursor()
	g = c.guid()
	return g, !c.failed
}

// Octets returns the value as a sequence of bytes, nil if it is malformed.
func (q Parameter) Octets() []byte {
	c := q.cursor()
	return c.bytes(int(c.u32()))
}

// Text returns the value as a string, without what follows a NUL.
func (q Parameter) Text() string {
	text, _, _ := bytes.Cut(q.Octets(), []byte{0})
	return string(text)
}

// Duration returns the value from an offset on as a duration, 0 if it is infinite or malformed.
func (q Parameter) Duration(offset int) time.Duration {
	c := q.cursor()
	c.bytes(offset)
	seconds, fraction := int32(c.u32()), c.u32() // of a second in 2^-32
	if c.failed || seconds == math.MaxInt32 || seconds < 0 {
		return 0
	}
	return time.Duration(seconds)*time.Second + time.Duration(uint64(fraction)*1e9>>32)
}

// Sample returns the identity of a sample: its writer and its number. ok is false if the value is too short.
func (q Parameter) Sample() (writer GUID, number int64, ok bool) {
	c := q.cursor()
	writer, number = c.guid(), c.number()
	return writer, number, !c.failed
}

// locatorUDPv4 is the kind of the locators that are used; others, such as shared memory, are left out.
const locatorUDPv4 = 1

// Locator returns the value as an address of UDP over IPv4, one that isn't valid if it is another kind.
func (q Parameter) Locator() netip.AddrPort {
	c := q.cursor()
	kind, port, address := c.u32(), c.u32(), c.fixed(16)
	if c.failed || kind != locatorUDPv4 || port == 0 || port > 0xffff {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(address[12:])), uint16(port))
}
