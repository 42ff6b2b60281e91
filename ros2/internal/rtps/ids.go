package rtps

import (
	"encoding/hex"
	"iter"
)

// Prefix identifies a participant.
type Prefix [12]byte

// EntityID identifies an endpoint of a participant. Its last byte is the kind.
type EntityID [4]byte

// GUID identifies an endpoint, or with Participant as its entity, a participant.
type GUID [16]byte

// Kinds of endpoints of the user, without a key.
const (
	KindWriter = 0x03
	KindReader = 0x04
)

// Entity ids of the protocol itself.
var (
	UnknownEntity        = EntityID{}
	Participant          = EntityID{0, 0, 1, 0xc1}
	ParticipantAnnouncer = EntityID{0, 1, 0, 0xc2}
	ParticipantListener  = EntityID{0, 1, 0, 0xc7}
	PublicationsWriter   = EntityID{0, 0, 3, 0xc2}
	PublicationsReader   = EntityID{0, 0, 3, 0xc7}
	SubscriptionsWriter  = EntityID{0, 0, 4, 0xc2}
	SubscriptionsReader  = EntityID{0, 0, 4, 0xc7}
)

// GUID returns that of an entity of the participant.
func (p Prefix) GUID(e EntityID) (g GUID) {
	copy(g[:], p[:])
	copy(g[len(p):], e[:])
	return g
}

// Prefix returns the participant's part.
func (g GUID) Prefix() Prefix { return Prefix(g[:12]) }

// Entity returns the endpoint's part.
func (g GUID) Entity() EntityID { return EntityID(g[12:]) }

func (g GUID) String() string { return hex.EncodeToString(g[:12]) + "." + hex.EncodeToString(g[12:]) }

func (p Prefix) String() string { return hex.EncodeToString(p[:]) }

// UserEntity returns the id of an endpoint of the user.
func UserEntity(key uint32, kind byte) EntityID {
	return EntityID{byte(key >> 16), byte(key >> 8), byte(key), kind}
}

// IsWriter reports whether the entity writes.
func (e EntityID) IsWriter() bool { return e[3]&0x3f == 2 || e[3]&0x3f == 3 }

// MaxSet is the number of bits that a Set may have.
const MaxSet = 256

// Set is a set of sample or fragment numbers from Base on.
type Set struct {
	Base int64
	N    int // bits that are valid
	Bits [MaxSet / 32]uint32
}

// Has reports whether the set has Base+i.
func (s *Set) Has(i int) bool { return i >= 0 && i < s.N && s.Bits[i/32]&(1<<(31-i%32)) != 0 }

// Add adds a number. It reports false if the number is below Base, or too far above it.
func (s *Set) Add(number int64) bool {
	i := number - s.Base
	if i < 0 || i >= MaxSet {
		return false
	}
	s.Bits[i/32] |= 1 << (31 - i%32)
	s.N = max(s.N, int(i)+1)
	return true
}

// All returns the numbers of the set in order.
func (s *Set) All() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := range s.N {
			if s.Has(i) && !yield(s.Base+int64(i)) {
				return
			}
		}
	}
}
