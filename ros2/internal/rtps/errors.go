package rtps

import "fmt"

// WireError says that a datagram is malformed.
type WireError struct {
	Offset int // of the submessage
	Kind   byte
	What   string
}

func (e *WireError) Error() string {
	return fmt.Sprintf("RTPS datagram: submessage %#02x at offset %d: %s", e.Kind, e.Offset, e.What)
}
