//go:build !linux

package replay

// Precision describes the precision of System's waits.
const Precision = "no: Go's timers, a millisecond or more"

// System is the machine's clock.
type System struct{ *Timers }

// NewSystem returns the machine's clock. The caller closes it after Run.
func NewSystem() (*System, error) { return &System{NewTimers()}, nil }

// Close implements io.Closer; there is nothing to free.
func (*System) Close() error { return nil }
