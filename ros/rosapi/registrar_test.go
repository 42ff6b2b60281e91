package rosapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// TestHungProviders checks that names whose providers don't answer are asked for side by side, and left alone.
func TestHungProviders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const services = maxAsked + 1
		g := NewRegistrar(nil, "http://robot:11311/", "", zerolog.Nop(), nil)
		for i := range services {
			g.Add(&Registration{Kind: Service, Name: fmt.Sprint("/s", i), Free: func(ctx context.Context) bool {
				time.Sleep(2 * time.Second)
				return false
			}})
		}
		began := time.Now()
		if err := g.work(t.Context(), withGrace); err != nil || len(g.there) > 0 || len(g.queue) > 0 {
			t.Errorf("%v, %d registered, %d queued", err, len(g.there), len(g.queue))
		}
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("took %v, want one round of %d and one of the rest", took, maxAsked)
		}
	})
}

// TestNoMasterIsRepeated checks that the log says at once, and again every ten seconds, that there is
// no master, and once that one that was there doesn't answer.
func TestNoMasterIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		g := NewRegistrar(nil, "http://robot:11311/", "", zerolog.New(&log), nil)
		down := errors.New("refused")
		for range 20 {
			g.report(down)
			time.Sleep(3 * time.Second)
		}
		if n := strings.Count(log.String(), "no ROS master at http://robot:11311/: start roscore"); n != 7 || !g.Alone() {
			t.Errorf("%d lines in a minute, want 7\n%s", n, &log)
		}
		log.Reset()
		g.met = true
		for _, err := range []error{nil, down, down, nil} {
			g.report(err)
			time.Sleep(time.Minute)
		}
		if strings.Count(log.String(), "retrying") != 1 || strings.Count(log.String(), "the ROS master answers") != 2 || g.Alone() {
			t.Errorf("after a master answered:\n%s", &log)
		}
	})
}
