package record

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"rsros/ros"
)

// fakeTime is the time of a graph whose master and /clock answer when a test says so.
type fakeTime struct{ known, ticks, closed chan struct{} }

func (f fakeTime) Done() <-chan struct{}      { return f.closed }
func (f fakeTime) TimeKnown() <-chan struct{} { return f.known }
func (f fakeTime) WaitForTime(ctx context.Context) error {
	select {
	case <-f.ticks:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestWaitForTime checks that the recorder waits, and says for what.
func TestWaitForTime(t *testing.T) {
	const (
		noMaster = "the master doesn't answer"
		noClock  = "nobody has published /clock"
	)
	never := time.Duration(-1)
	for name, c := range map[string]struct {
		known, tick, closed time.Duration // after the beginning
		limited             bool
		ends                time.Duration
		err                 error
		says                string
	}{
		"all at once":           {0, 0, never, false, 0, nil, ""},
		"no master":             {never, never, never, false, time.Hour, context.DeadlineExceeded, ""},
		"no master, a limit":    {never, never, never, true, masterPatience, nil, noMaster},
		"a slow master":         {time.Minute, time.Minute, never, false, time.Minute, nil, ""},
		"a late clock":          {time.Minute, 2 * time.Minute, never, false, 2 * time.Minute, nil, noClock},
		"a late clock, a limit": {time.Second, time.Minute, never, true, time.Minute, nil, noClock},
		"a prompt clock":        {time.Minute, time.Minute + time.Second, never, false, time.Minute + time.Second, nil, ""},
		"the node ends":         {never, never, time.Minute, false, time.Minute, ros.ErrClosed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := fakeTime{make(chan struct{}), make(chan struct{}), make(chan struct{})}
				at := func(after time.Duration, c chan struct{}) {
					switch {
					case after == 0:
						close(c)
					case after > 0:
						time.AfterFunc(after, func() { close(c) })
					}
				}
				at(c.known, f.known)
				at(c.tick, f.ticks)
				at(c.closed, f.closed)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				var said bytes.Buffer
				began := time.Now()
				err := waitForTime(ctx, f, c.limited, zerolog.New(&said))
				synctest.Wait() // for what is said on the way out
				if took := time.Since(began); took != c.ends || !errors.Is(err, c.err) {
					t.Errorf("%v after %v, want %v after %v", err, took, c.err, c.ends)
				}
				if said.Len() > 0 != (c.says != "") || !strings.Contains(said.String(), c.says) {
					t.Errorf("said %q, want %q", said.String(), c.says)
				}
			})
		})
	}
}
