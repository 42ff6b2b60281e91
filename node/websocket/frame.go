package websocket

import (
	"encoding/binary"
	"fmt"
)

// Kind is what a message is: text or binary data.
type Kind byte

// The kinds are the opcodes of the protocol (RFC 6455 §5.2).
const (
	Text   Kind = 1
	Binary Kind = 2
)

func (k Kind) String() string {
	switch k {
	case Text:
		return "text"
	case Binary:
		return "binary"
	}
	return fmt.Sprintf("opcode %d", byte(k))
}

// The opcodes of frames that aren't the first of a message.
const (
	opContinuation = 0
	opClose        = 8
	opPing         = 9
	opPong         = 10
)

const (
	flagFinal  = 0x80 // in the first byte: the last frame of a message
	flagsUnset = 0x70 // in the first byte: reserved for extensions
	flagMasked = 0x80 // in the second byte
	length16   = 126  // in the second byte: the length is in the next 2 bytes
	length64   = 127  // in the second byte: the length is in the next 8 bytes
	maxControl = 125  // bytes of a control frame
	maxHead    = 14   // bytes before the payload: 2, the length, the mask
)

// head is the header of a frame.
type head struct {
	opcode byte
	final  bool
	length int64
	mask   [4]byte
}

func (h *head) control() bool { return h.opcode >= opClose }

// headSize returns the size of a client's head in bytes, which its second byte determines.
func headSize(second byte) int {
	switch second &^ flagMasked {
	case length16:
		return 2 + 2 + 4
	case length64:
		return 2 + 8 + 4
	}
	return 2 + 4
}

// parseHead reads a client's head; b has headSize bytes.
func parseHead(b []byte) (head, error) {
	h := head{opcode: b[0] & 0x0f, final: b[0]&flagFinal != 0, length: int64(b[1] &^ flagMasked)}
	if b[0]&flagsUnset != 0 {
		return h, protocolError("the frame begins with %#02x, expected no reserved bit", b[0])
	}
	if b[1]&flagMasked == 0 {
		return h, protocolError("the frame isn't masked")
	}
	switch h.length {
	case length16:
		h.length = int64(binary.BigEndian.Uint16(b[2:]))
		if h.length < length16 {
			return h, protocolError("the length %d takes 2 bytes, expected none", h.length)
		}
	case length64:
		length := binary.BigEndian.Uint64(b[2:])
		if length>>16 == 0 || length>>63 != 0 {
			return h, protocolError("the length %#x takes 8 bytes", length)
		}
		h.length = int64(length)
	}
	copy(h.mask[:], b[len(b)-4:])
	switch h.opcode {
	case opContinuation, byte(Text), byte(Binary):
	case opClose, opPing, opPong:
		if !h.final || h.length > maxControl {
			return h, protocolError("a control frame (opcode %d) with %d bytes, final %t; expected at most %d in one frame", h.opcode, h.length, h.final, maxControl)
		}
	default:
		return h, protocolError("opcode %d isn't defined", h.opcode)
	}
	return h, nil
}

// appendHead appends the head of an unfragmented frame of the server, which isn't masked.
func appendHead(b []byte, opcode byte, length int) []byte {
	b = append(b, flagFinal|opcode)
	switch {
	case length < length16:
		return append(b, byte(length))
	case length < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, length16), uint16(length))
	}
	return binary.BigEndian.AppendUint64(append(b, length64), uint64(length))
}

// unmask applies the client's mask to bytes that begin at offset at of the payload.
func unmask(b []byte, mask [4]byte, at int64) {
	turned := [8]byte{}
	for i := range turned {
		turned[i] = mask[(at+int64(i))&3]
	}
	wide := binary.NativeEndian.Uint64(turned[:])
	for len(b) >= 8 {
		binary.NativeEndian.PutUint64(b, binary.NativeEndian.Uint64(b)^wide)
		b = b[8:]
	}
	for i := range b {
		b[i] ^= turned[i]
	}
}
