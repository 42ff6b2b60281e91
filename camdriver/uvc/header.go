package uvc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Bits of a payload header's second byte (UVC 1.5, 2.4.3.3).
const (
	HeaderFID = 0x01 // toggles with each frame
	HeaderEOF = 0x02
	HeaderPTS = 0x04
	HeaderSCR = 0x08
	HeaderERR = 0x40
	HeaderEOH = 0x80
)

var errPayloadMarked = errors.New("payload is marked as faulty")

// Header is the header of a payload.
type Header struct {
	Length int // of the header
	Info   uint8
	PTS    uint32 // frame timestamp, µs on the device's clock
	Rest   []byte // what follows the fields of the class
}

// ParseHeader parses the header of a transfer. Rest aliases b.
func ParseHeader(b []byte) (Header, error) {
	if len(b) < 2 {
		return Header{}, fmt.Errorf("payload has %d bytes and no header", len(b))
	}
	h := Header{Length: int(b[0]), Info: b[1]}
	want := 2
	if h.Info&HeaderPTS != 0 {
		want += 4
	}
	if h.Info&HeaderSCR != 0 {
		want += 6
	}
	if h.Length < want || h.Length > len(b) {
		return h, fmt.Errorf("payload header claims %d bytes in a transfer of %d, its flags need %d", h.Length, len(b), want)
	}
	if h.Info&HeaderERR != 0 {
		return h, errPayloadMarked
	}
	if h.Info&HeaderPTS != 0 {
		h.PTS = binary.LittleEndian.Uint32(b[2:])
	}
	h.Rest = b[want:h.Length]
	return h, nil
}

// Encode returns a header with PTS and SCR, both of the frame's time.
func (h Header) Encode() []byte {
	b := []byte{byte(12 + len(h.Rest)), h.Info | HeaderPTS | HeaderSCR | HeaderEOH}
	b = binary.LittleEndian.AppendUint32(b, h.PTS)
	b = binary.LittleEndian.AppendUint32(b, h.PTS)
	b = binary.LittleEndian.AppendUint16(b, 0)
	return append(b, h.Rest...)
}
