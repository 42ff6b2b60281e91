package websocket

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Status says why a connection is closed (RFC 6455 §7.4).
type Status uint16

const (
	StatusNormal      Status = 1000
	StatusGoingAway   Status = 1001
	StatusProtocol    Status = 1002 // what was sent isn't WebSocket
	StatusUnsupported Status = 1003 // messages of this kind aren't expected
	StatusNone        Status = 1005 // the client gave no reason; never sent
	StatusInvalid     Status = 1007 // text that isn't UTF-8
	StatusPolicy      Status = 1008
	StatusTooBig      Status = 1009
	StatusInternal    Status = 1011
	StatusTryAgain    Status = 1013
)

// sendable reports whether a close frame may carry the status.
func (s Status) sendable() bool {
	switch {
	case s >= 1000 && s <= 1003, s >= 1007 && s <= 1014, s >= 3000 && s <= 4999:
		return true
	}
	return false
}

// ClosedError means that the client has closed the connection by the protocol.
type ClosedError struct {
	Status Status
	Reason string
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("the client closed the WebSocket: %d %q", e.Status, e.Reason)
}

// FailedError means that the client has broken the protocol or a limit, for which
// the connection has been closed.
type FailedError struct {
	Status Status // what the client was told
	Reason string
}

func (e *FailedError) Error() string { return "read from a WebSocket: " + e.Reason }

func protocolError(format string, args ...any) *FailedError {
	return &FailedError{StatusProtocol, fmt.Sprintf(format, args...)}
}

// parseClose reads the payload of a close frame.
func parseClose(b []byte) (*ClosedError, error) {
	switch {
	case len(b) == 0:
		return &ClosedError{Status: StatusNone}, nil
	case len(b) == 1:
		return nil, protocolError("a close frame has 1 byte, expected none or at least 2")
	}
	e := &ClosedError{Status(binary.BigEndian.Uint16(b)), string(b[2:])}
	if !e.Status.sendable() {
		return nil, protocolError("a close frame has the status %d, which is never sent", e.Status)
	}
	if !utf8.ValidString(e.Reason) {
		return nil, &FailedError{StatusInvalid, "the reason in a close frame isn't UTF-8"}
	}
	return e, nil
}

// closePayload is what a close frame of ours carries. A long reason is cut.
func closePayload(status Status, reason string) []byte {
	if !status.sendable() {
		return nil
	}
	reason = strings.ToValidUTF8(reason, "?")
	if len(reason) > maxControl-2 {
		reason = strings.ToValidUTF8(reason[:maxControl-2], "")
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(status)), reason...)
}
