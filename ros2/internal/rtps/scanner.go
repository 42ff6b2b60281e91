package rtps

import "math"

// Kinds of submessages. A Scanner returns those that are exported.
const (
	AckNack     = 0x06
	Heartbeat   = 0x07
	Gap         = 0x08
	kindInfoTS  = 0x09
	kindInfoSrc = 0x0c
	kindInfoDst = 0x0e
	NackFrag    = 0x12
	Data        = 0x15
	DataFrag    = 0x16
	kindPad     = 0x01
)

const (
	headerSize    = 20
	submessageTop = 4
)

// flags of submessages.
const (
	flagLittle     = 0x01
	flagFinal      = 0x02 // HEARTBEAT, ACKNACK
	flagNoTime     = 0x02 // INFO_TS
	flagInline     = 0x02 // DATA, DATA_FRAG
	flagPayload    = 0x04 // DATA
	flagKeyPayload = 0x08 // DATA
	flagKeyFrag    = 0x04 // DATA_FRAG
)

// Submessage is one submessage with what earlier ones say about it. Which fields are set depends on Kind.
type Submessage struct {
	Kind   byte
	Source Prefix
	Dest   Prefix // zero: for every participant
	Time   int64  // of the source, in ns since 1970; 0 if there is none

	Reader, Writer EntityID
	Number         int64 // DATA, DATA_FRAG, NACK_FRAG; GAP: start; HEARTBEAT: first
	Last           int64 // HEARTBEAT
	Set            Set   // ACKNACK, NACK_FRAG, GAP
	Count          uint32
	Final          bool

	Inline  Parameters // DATA, DATA_FRAG
	Payload []byte     // DATA, DATA_FRAG
	Key     bool       // the payload is a key only

	Fragment     uint32 // number of the first one in Payload, from 1
	Fragments    int    // in Payload
	FragmentSize int    // of all but the last one of the sample
	SampleSize   int64
}

// Scanner reads a datagram.
type Scanner struct {
	b   []byte
	at  int
	err error
	sub Submessage // context of the next one
}

// Scan starts to read a datagram. It reports false if this isn't RTPS 2.
func Scan(datagram []byte) (s Scanner, ok bool) {
	if len(datagram) < headerSize || string(datagram[:4]) != "RTPS" || datagram[4] != 2 {
		return s, false
	}
	s.b, s.at = datagram, headerSize
	copy(s.sub.Source[:], datagram[8:headerSize])
	return s, true
}

// Err returns why Next ended before the datagram did.
func (s *Scanner) Err() error { return s.err }

// Next reads the next submessage of a kind that is known into m, and reports whether there was one.
func (s *Scanner) Next(m *Submessage) bool {
	for s.err == nil && len(s.b)-s.at >= submessageTop {
		start := s.at
		kind, flags := s.b[start], s.b[start+1]
		c := cursor{b: s.b, at: start + 2, big: flags&flagLittle == 0}
		size := int(c.u16())
		if size == 0 && kind != kindPad && kind != kindInfoTS {
			size = len(s.b) - c.at
		}
		if size > len(s.b)-c.at {
			s.err = &WireError{Offset: start, Kind: kind, What: "is longer than the datagram"}
			return false
		}
		c.b = s.b[:c.at+size]
		s.at = c.at + size
		*m = s.sub
		m.Kind = kind
		known := m.read(&c, flags, &s.sub)
		if c.failed {
			s.err = &WireError{Offset: start, Kind: kind, What: "has lengths or numbers that are impossible"}
			return false
		}
		if known {
			return true
		}
	}
	return false
}

// read reads the content. It reports false for what is context, which it changes, or isn't known.
func (m *Submessage) read(c *cursor, flags byte, context *Submessage) bool {
	switch m.Kind {
	case kindInfoTS:
		context.Time = 0
		if flags&flagNoTime == 0 {
			sec, fraction := c.u32(), c.u32()
			context.Time = int64(sec)*1e9 + int64((uint64(fraction)*1e9+1<<31)>>32)
		}
		return false
	case kindInfoSrc:
		c.bytes(8)
		context.Source = c.prefix()
		return false
	case kindInfoDst:
		context.Dest = c.prefix()
		return false
	case Data, DataFrag:
		m.readData(c, flags)
		return true
	case Heartbeat, AckNack, Gap, NackFrag:
	default:
		return false
	}
	m.Reader, m.Writer = c.entity(), c.entity()
	m.Final = flags&flagFinal != 0
	switch m.Kind {
	case Heartbeat:
		m.Number, m.Last, m.Count = c.number(), c.number(), c.u32()
		c.failed = c.failed || m.Number < 1 || m.Last < m.Number-1
	case AckNack:
		m.Set = c.set(c.number())
		m.Count = c.u32()
	case Gap:
		m.Number = c.number()
		m.Set = c.set(c.number())
		c.failed = c.failed || m.Number < 1 || m.Set.Base < m.Number
	case NackFrag:
		m.Number = c.number()
		m.Set = c.set(int64(c.u32()))
		m.Count = c.u32()
		c.failed = c.failed || m.Set.Base < 1
	}
	return true
}

func (m *Submessage) readData(c *cursor, flags byte) {
	c.u16()
	skip := int(c.u16()) // counted from here
	from := c.at
	m.Reader, m.Writer, m.Number = c.entity(), c.entity(), c.number()
	payload := flags&(flagPayload|flagKeyPayload) != 0
	m.Key = flags&flagKeyPayload != 0
	if m.Kind == DataFrag {
		m.Fragment, m.Fragments, m.FragmentSize, m.SampleSize = c.u32(), int(c.u16()), int(c.u16()), int64(c.u32())
		m.Key, payload = flags&flagKeyFrag != 0, true
	}
	c.bytes(skip - (c.at - from))
	if flags&flagInline != 0 {
		m.Inline = c.parameters()
	}
	c.failed = c.failed || m.Number < 1
	if payload && !c.failed {
		m.Payload = c.b[c.at:len(c.b):len(c.b)]
	}
	if m.Kind == DataFrag && !c.failed {
		m.cutFragments(c)
	}
}

// cutFragments checks the fields of a DATA_FRAG against each other, and cuts the padding off the payload.
func (m *Submessage) cutFragments(c *cursor) {
	size, first := int64(m.FragmentSize), int64(m.Fragment)-1
	if size == 0 || m.Fragments == 0 || m.SampleSize == 0 || m.SampleSize > math.MaxInt32 ||
		first < 0 || first*size >= m.SampleSize {
		c.failed = true
		return
	}
	want := min(int64(m.Fragments)*size, m.SampleSize-first*size)
	if int64(len(m.Payload)) < want || (want+size-1)/size != int64(m.Fragments) {
		c.failed = true
		return
	}
	m.Payload = m.Payload[:want:want]
}
