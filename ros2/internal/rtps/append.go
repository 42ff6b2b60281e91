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

// begin appends the top of a submessage for an endpoint; end sets its length, with that of a payload after it.
func begin(b []byte, kind, flags byte, reader, writer EntityID, extra ...byte) ([]byte, int) {
	b = append(b, kind, flags|flagLittle, 0, 0)
	start := len(b)
	b = append(append(b, extra...), reader[:]...)
	return append(b, writer[:]...), start
}

func end(b []byte, start, payload int) []byte {
	le.PutUint16(b[start-2:], uint16(len(b)-start+payload+Padding(payload)))
	return b
}

func flag(is bool, bit byte) byte {
	if is {
		return bit
	}
	return 0
}

// Sample is what AppendData writes before a payload.
type Sample struct {
	Reader, Writer EntityID
	Number         int64
	Inline         []byte // parameters with their sentinel; may be nil
}

func (s *Sample) begin(b []byte, kind, flags, toInline byte) ([]byte, int) {
	b, start := begin(b, kind, flags|flag(len(s.Inline) > 0, flagInline), s.Reader, s.Writer, 0, 0, toInline, 0)
	return appendNumber(b, s.Number), start
}

// Padding returns how many bytes bring a payload to a multiple of 4.
func Padding(size int) int { return -size & 3 }

// AppendData appends a DATA submessage up to its payload of size bytes, which the caller sends after it, with its
// Padding. A size of 0 means that there is none.
func AppendData(b []byte, s *Sample, size int) []byte {
	b, start := s.begin(b, Data, flag(size > 0, flagPayload), dataToInline)
	return end(append(b, s.Inline...), start, size)
}

// AppendDataFrag appends a DATA_FRAG submessage with one fragment, from 1, up to its payload of size bytes.
func AppendDataFrag(b []byte, s *Sample, fragment uint32, size, fragmentSize int, sampleSize int) []byte {
	b, start := s.begin(b, DataFrag, 0, fragToInline)
	b = le.AppendUint16(le.AppendUint32(b, fragment), 1)
	b = le.AppendUint32(le.AppendUint16(b, uint16(fragmentSize)), uint32(sampleSize))
	return end(append(b, s.Inline...), start, size)
}

// AppendHeartbeat appends HEARTBEAT.
func AppendHeartbeat(b []byte, reader, writer EntityID, first, last int64, count uint32, final bool) []byte {
	b, start := begin(b, Heartbeat, flag(final, flagFinal), reader, writer)
	return end(le.AppendUint32(appendNumber(appendNumber(b, first), last), count), start, 0)
}

// AppendAckNack appends ACKNACK with the final flag, or without it if a heartbeat is wanted.
func AppendAckNack(b []byte, reader, writer EntityID, missing *Set, count uint32, final bool) []byte {
	b, start := begin(b, AckNack, flag(final, flagFinal), reader, writer)
	return end(le.AppendUint32(appendSet(appendNumber(b, missing.Base), missing), count), start, 0)
}

// AppendGap appends GAP: the samples from first up to, but without, next won't come.
func AppendGap(b []byte, reader, writer EntityID, first, next int64) []byte {
	b, start := begin(b, Gap, 0, reader, writer)
	return end(appendSet(appendNumber(appendNumber(b, first), next), &Set{}), start, 0)
}

// AppendNackFrag appends NACK_FRAG.
func AppendNackFrag(b []byte, reader, writer EntityID, number int64, missing *Set, count uint32) []byte {
	b, start := begin(b, NackFrag, 0, reader, writer)
	b = le.AppendUint32(appendNumber(b, number), uint32(missing.Base))
	return end(le.AppendUint32(appendSet(b, missing), count), start, 0)
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
