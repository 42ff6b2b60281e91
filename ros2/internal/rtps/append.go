package rtps

import (
	"encoding/binary"
	"net/netip"
)

// Vendor marks our datagrams: unassigned, so that no peer expects another implementation's extensions.
var Vendor = [2]byte{0x01, 0x7d}

// Sizes of what is written before a payload.
const (
	dataToInline = 16
	fragToInline = 28
)

var le = binary.LittleEndian

// AppendHeader appends the header of a datagram, and if dest isn't zero, INFO_DST.
func AppendHeader(b []byte, source, dest Prefix) []byte {
	b = append(b, 'R', 'T', 'P', 'S', 2, 3, Vendor[0], Vendor[1])
	b = append(b, source[:]...)
	if dest != (Prefix{}) {
		b = append(b, kindInfoDst, flagLittle, byte(len(dest)), 0)
		b = append(b, dest[:]...)
	}
	return b
}

// AppendTime appends INFO_TS with a time in ns since 1970.
func AppendTime(b []byte, ns int64) []byte {
	b = append(b, kindInfoTS, flagLittle, 8, 0)
	b = le.AppendUint32(b, uint32(ns/1e9))
	return le.AppendUint32(b, uint32(uint64(ns%1e9)<<32/1e9))
}

func appendNumber(b []byte, n int64) []byte {
	b = le.AppendUint32(b, uint32(n>>32))
	return le.AppendUint32(b, uint32(n))
}

func appendSet(b []byte, s *Set) []byte {
	b = le.AppendUint32(b, uint32(s.N))
	for i := range (s.N + 31) / 32 {
		b = le.AppendUint32(b, s.Bits[i])
	}
	return b
}

// begin appends the top of a submessage for an endpoint; end sets its length.
func begin(b []byte, kind, flags byte, reader, writer EntityID) ([]byte, int) {
	b = append(b, kind, flags|flagLittle, 0, 0)
	start := len(b)
	b = append(b, reader[:]...)
	return append(b, writer[:]...), start
}

func end(b []byte, start int) []byte {
	le.PutUint16(b[start-2:], uint16(len(b)-start))
	return b
}

// Sample is what AppendData writes before a payload.
type Sample struct {
	Reader, Writer EntityID
	Number         int64
	Inline         []byte // parameters with their sentinel; may be nil
	Key            bool   // the payload is a key only
}

// Padding returns how many bytes bring a payload to a multiple of 4.
func Padding(size int) int { return -size & 3 }

// AppendData appends a DATA submessage up to its payload of size bytes, which the caller sends after it, with its Padding.
// A size of 0 means that there is none.
func AppendData(b []byte, s *Sample, size int) []byte {
	flags := byte(0)
	switch {
	case size > 0 && s.Key:
		flags = flagKeyPayload
	case size > 0:
		flags = flagPayload
	}
	b = append(b, Data, flags|s.inlineFlag()|flagLittle, 0, 0)
	start := len(b)
	b = append(b, 0, 0, dataToInline, 0)
	b = append(b, s.Reader[:]...)
	b = append(b, s.Writer[:]...)
	b = appendNumber(b, s.Number)
	b = append(b, s.Inline...)
	le.PutUint16(b[start-2:], uint16(len(b)-start+size+Padding(size)))
	return b
}

func (s *Sample) inlineFlag() byte {
	if len(s.Inline) > 0 {
		return flagInline
	}
	return 0
}

// AppendDataFrag appends a DATA_FRAG submessage with one fragment, from 1, up to its payload of size bytes.
func AppendDataFrag(b []byte, s *Sample, fragment uint32, size, fragmentSize int, sampleSize int) []byte {
	b = append(b, DataFrag, s.inlineFlag()|flagLittle, 0, 0)
	start := len(b)
	b = append(b, 0, 0, fragToInline, 0)
	b = append(b, s.Reader[:]...)
	b = append(b, s.Writer[:]...)
	b = appendNumber(b, s.Number)
	b = le.AppendUint32(b, fragment)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint16(b, uint16(fragmentSize))
	b = le.AppendUint32(b, uint32(sampleSize))
	b = append(b, s.Inline...)
	le.PutUint16(b[start-2:], uint16(len(b)-start+size+Padding(size)))
	return b
}

// AppendHeartbeat appends HEARTBEAT.
func AppendHeartbeat(b []byte, reader, writer EntityID, first, last int64, count uint32, final bool) []byte {
	flags := byte(0)
	if final {
		flags = flagFinal
	}
	b, start := begin(b, Heartbeat, flags, reader, writer)
	return end(le.AppendUint32(appendNumber(appendNumber(b, first), last), count), start)
}

// AppendAckNack appends ACKNACK with the final flag, or without it if a heartbeat is wanted.
func AppendAckNack(b []byte, reader, writer EntityID, missing *Set, count uint32, final bool) []byte {
	flags := byte(0)
	if final {
		flags = flagFinal
	}
	b, start := begin(b, AckNack, flags, reader, writer)
	return end(le.AppendUint32(appendSet(appendNumber(b, missing.Base), missing), count), start)
}

// AppendGap appends GAP: the samples from first up to, but without, next won't come.
func AppendGap(b []byte, reader, writer EntityID, first, next int64) []byte {
	b, start := begin(b, Gap, 0, reader, writer)
	return end(appendSet(appendNumber(appendNumber(b, first), next), &Set{}), start)
}

// AppendNackFrag appends NACK_FRAG.
func AppendNackFrag(b []byte, reader, writer EntityID, number int64, missing *Set, count uint32) []byte {
	b, start := begin(b, NackFrag, 0, reader, writer)
	b = le.AppendUint32(appendNumber(b, number), uint32(missing.Base))
	return end(le.AppendUint32(appendSet(b, missing), count), start)
}

// AppendEncapsulation appends what a payload of parameters starts with.
func AppendEncapsulation(b []byte) []byte { return append(b, 0, plCDRLittle, 0, 0) }

// AppendParameter appends a parameter, padded.
func AppendParameter(b []byte, id uint16, value ...byte) []byte {
	b = le.AppendUint16(le.AppendUint16(b, id), uint16(len(value)+Padding(len(value))))
	b = append(b, value...)
	return append(b, make([]byte, Padding(len(value)))...)
}

// AppendU32s appends a parameter that is some numbers.
func AppendU32s(b []byte, id uint16, values ...uint32) []byte {
	b = le.AppendUint16(le.AppendUint16(b, id), uint16(4*len(values)))
	for _, v := range values {
		b = le.AppendUint32(b, v)
	}
	return b
}

// AppendOctets appends a parameter that is a sequence of bytes.
func AppendOctets(b []byte, id uint16, value string) []byte {
	return AppendParameter(b, id, append(le.AppendUint32(nil, uint32(len(value))), value...)...)
}

// AppendText appends a parameter that is a string.
func AppendText(b []byte, id uint16, value string) []byte { return AppendOctets(b, id, value+"\x00") }

// AppendLocator appends a parameter that is an address of IPv4.
func AppendLocator(b []byte, id uint16, a netip.AddrPort) []byte {
	b = le.AppendUint16(le.AppendUint16(b, id), 24)
	b = le.AppendUint32(le.AppendUint32(b, locatorUDPv4), uint32(a.Port()))
	address := a.Addr().As4()
	return append(append(b, make([]byte, 12)...), address[:]...)
}

// AppendSample appends a parameter that is the identity of a sample.
func AppendSample(b []byte, id uint16, writer GUID, number int64) []byte {
	return AppendParameter(b, id, appendNumber(append([]byte(nil), writer[:]...), number)...)
}

// AppendSentinel ends a list of parameters.
func AppendSentinel(b []byte) []byte { return append(b, PIDSentinel, 0, 0, 0) }
