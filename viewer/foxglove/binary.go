package foxglove

import (
	"errors"
	"fmt"
	"math"

	"rsros/msgs"
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

// The protocol writes numbers and texts as ROS does, so package msgs encodes them.

// appendMessageHead appends the header of a message: the client's subscription, and the time of receipt in ns.
func appendMessageHead(b []byte, subscription uint32, time int64) []byte {
	e := msgs.Encoder{B: append(b, opMessage)}
	e.U32(subscription)
	e.I64(time)
	return e.B
}

func appendTime(b []byte, time int64) []byte {
	e := msgs.Encoder{B: append(b, opTime)}
	e.I64(time)
	return e.B
}

func appendServiceResponse(b []byte, service, call uint32, encoding string, response []byte) []byte {
	e := msgs.Encoder{B: append(b, opServiceResponse)}
	e.U32(service)
	e.U32(call)
	e.String(encoding)
	e.Raw(response)
	return e.B
}

func appendPlaybackState(b []byte, s PlaybackState, didSeek bool, request string) []byte {
	e := msgs.Encoder{B: append(b, opPlaybackState, byte(s.Status))}
	e.I64(s.Time)
	e.F32(s.Speed)
	e.Bool(didSeek)
	e.String(request)
	return e.B
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
	d := msgs.NewDecoder(b[1:])
	var parsed any
	var what string
	switch b[0] {
	case opClientMessage:
		what = "message data"
		parsed = published{d.U32(), d.Rest()}
	case opServiceRequest:
		what = "service call request"
		parsed = serviceRequest{d.U32(), d.U32(), d.String(), d.Rest()}
	case opPlaybackControl:
		what = "playback control request"
		p, err := playback(d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		parsed = p
	default:
		return nil, fmt.Errorf("unknown opcode %d", b[0])
	}
	if d.Err() != nil {
		return nil, fmt.Errorf("%s of %d bytes: %w", what, len(b), errShort)
	}
	return parsed, nil
}

func playback(d *msgs.Decoder) (p playbackControl, err error) {
	command := d.U8()
	p.Speed = d.F32()
	p.Seek = d.Bool()
	p.Time = int64(min(d.U64(), math.MaxInt64))
	p.request = d.String()
	if d.Err() == nil && (command > 1 || d.Remaining() > 0) {
		err = fmt.Errorf("command %d with %d bytes after it, expected 0 or 1 and none", command, d.Remaining())
	}
	p.Play = command == 0
	return p, err
}
