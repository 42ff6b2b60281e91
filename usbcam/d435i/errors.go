package d435i

import "errors"

// Errors of Control and Read, which a transport passes to the host.
var (
	ErrStall = errors.New("d435i: stall")
	ErrGone  = errors.New("d435i: unplugged")
)
