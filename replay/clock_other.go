//go:build !linux

package replay

import (
	"time"

	"rsros/program/work"
)

// Precision describes the precision of System's waits.
const Precision = "no: Go's timers, a millisecond or more"

// System is the machine's clock, as precise as Go's timers.
type System struct {
	evenTime
	wake work.Signal
}

// NewSystem returns the machine's clock. The caller closes it after Run.
func NewSystem() (*System, error) {
	return &System{evenTime{time.Now()}, work.NewSignal()}, nil
}

// Close implements io.Closer; there is nothing to free.
func (*System) Close() error { return nil }

func (s *System) Wait(t Wall) {
	timer := time.NewTimer(s.until(t))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.wake:
	}
}

func (s *System) Wake() { s.wake.Set() }
