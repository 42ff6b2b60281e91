package record

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"rsros/node/ros"
)

const (
	masterPatience = 2 * time.Second // how long the master may take to say whether time is simulated
	clockPatience  = 2 * time.Second // how long the first /clock may take before the user is told
)

// rosTime is the time of a graph; see ros.Node.
type rosTime interface {
	Done() <-chan struct{}
	TimeKnown() <-chan struct{}
	WaitForTime(ctx context.Context) error
}

// waitForTime waits for the first /clock if the graph's time is simulated: a message
// with the time 0 would make a bag that begins in 1970. Only a recording that is limited
// begins although the master doesn't say: its limit runs out also while the master hangs.
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
		log.Warn().Msg("the master doesn't answer: recording begins with the computer's time")
		return nil
	}
	said := time.AfterFunc(clockPatience, func() {
		log.Warn().Msg("/use_sim_time is set and nobody has published /clock: recording begins with the first valid time")
	})
	defer said.Stop()
	return t.WaitForTime(ctx)
}
