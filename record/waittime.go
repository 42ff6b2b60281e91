package record

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros"
)

const (
	masterPatience = 2 * time.Second // for the master's answer whether time is simulated
	clockPatience  = 2 * time.Second // for the first /clock, before a warning
)

// rosTime is the time of a graph; see ros.Node.
type rosTime interface {
	Done() <-chan struct{}
	TimeKnown() <-chan struct{}
	WaitForTime(ctx context.Context) error
}

// waitForTime waits for the first /clock if time is simulated: a message with the time 0
// would make a bag that starts in 1970. A limited recording starts even if the master
// doesn't answer, because its limit applies while the master hangs, too.
func waitForTime(ctx context.Context, t rosTime, limited bool, log zerolog.Logger) error {
	var patience <-chan time.Time
	if limited {
		patience = time.After(masterPatience)
	}
	select {
	case <-t.TimeKnown():
	case <-t.Done():
		return ros.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	case <-patience:
		log.Warn().Msg("the master doesn't answer: recording starts with the system's time")
		return nil
	}
	warning := time.AfterFunc(clockPatience, func() {
		log.Warn().Msg("/use_sim_time is set and nobody has published /clock: recording starts with the first valid time")
	})
	defer warning.Stop()
	return t.WaitForTime(ctx)
}
