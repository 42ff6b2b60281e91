package foxglove

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Opcodes of binary messages to a client.
const (
	opMessage         = 1
	opTime            = 2
	opServiceResponse = 3
	opPlaybackState   = 5
)

// Opcodes of binary messages of a client.
const (
	opClientMessage   = 1
	opServiceRequest  = 2
	opPlaybackControl = 3
)

// appendMessageHead appends the header of a message: the client's subscription, and the
// time of receipt in ns.
func appendMessageHead(b []byte, subscription uint32, time int64) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, opMessage), subscription)
	return binary.LittleEndian.AppendUint64(b, uint64(time))
}

func appendTime(b []byte, time int64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, opTime), uint64(time))
}

func appendServiceResponse(b []byte, service, call uint32, encoding string, response []byte) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, opServiceResponse), service)
	b = binary.LittleEndian.AppendUint32(b, call)
	return append(appendText(b, encoding), response...)
}

func appendPlaybackState(b []byte, s PlaybackState, didSeek bool, request string) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, opPlaybackState, byte(s.Status)), uint64(s.Time))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s.Speed))
	seek := byte(0)
	if didSeek {
		seek = 1
	}
	return appendText(append(b, seek), request)
}

func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// published is a message that a client publishes.
type published struct {
	channel uint32
	message []byte
}

// serviceRequest is a call of a service.
type serviceRequest struct {
	service, call uint32
	encoding      string
	request       []byte
}

// playbackControl is a command to the player. The answer repeats its request.
type playbackControl struct {
	PlaybackCommand
	request string
}

var errShort = errors.New("it is too short")

// parseBinary reads a binary message of a client, which isn't empty: a published, a
// serviceRequest or a playbackControl. Their byte slices are parts of b.
func parseBinary(b []byte) (any, error) {
	d := fields{b: b[1:]}
	var parsed any
	var what string
	switch b[0] {
	case opClientMessage:
		what = "message data"
		parsed = published{d.u32(), d.rest()}
	case opServiceRequest:
		what = "service call request"
		parsed = serviceRequest{d.u32(), d.u32(), d.text(), d.rest()}
	case opPlaybackControl:
		what = "playback control request"
		p, err := d.playback()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		parsed = p
	default:
		return nil, fmt.Errorf("unknown opcode %d", b[0])
	}
	if d.short {
		return nil, fmt.Errorf("%s of %d bytes: %w", what, len(b), errShort)
	}
	return parsed, nil
}

func (d *fields) playback() (p playbackControl, err error) {
	command := d.u8()
	p.Speed = math.Float32frombits(d.u32())
	p.Seek = d.u8() != 0
	p.Time = int64(min(d.u64(), math.MaxInt64))
	p.request = d.text()
	if !d.short && (command > 1 || len(d.b) > 0) {
		err = fmt.Errorf("command %d with %d bytes after it, expected 0 or 1 and none", command, len(d.b))
	}
	p.Play = command == 0
	return p, err
}

// fields reads little-endian fields; after the end all are 0.
type fields struct {
	b     []byte
	short bool
}

func (d *fields) take(n int) []byte {
	if d.short || n > len(d.b) {
		d.short = true
		return make([]byte, min(n, 8))
	}
	taken := d.b[:n]
	d.b = d.b[n:]
	return taken
}

func (d *fields) u8() byte    { return d.take(1)[0] }
func (d *fields) u32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *fields) u64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *fields) text() string {
	n := d.u32()
	if d.short || uint64(n) > uint64(len(d.b)) {
		d.short = true
		return ""
	}
	return string(d.take(int(n)))
}

func (d *fields) rest() []byte { return d.b }
