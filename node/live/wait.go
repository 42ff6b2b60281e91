package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"rsros/camdriver"
	"rsros/camdriver/d400"
	"rsros/node/graph"
	"rsros/program"
)

// resetWait is the default time for a camera to return from a reset at the start.
const resetWait = 30 * time.Second

// await opens the device. If it is missing, await tries again for o.Wait every o.Retry,
// until ctx ends or the node is shut down, and calls waits each time. Before the node has
// joined the graph, it tries once.
func (c *camera) await(ctx context.Context, o SourceOptions, waits func()) (camdriver.Device, error) {
	if o.Wait == 0 || c.node == nil {
		return c.try(ctx, o)
	}
	ctx, done := graph.UntilKilled(ctx, c.node)
	defer done()
	plugged, err := c.offerPlug(o)
	if err != nil {
		return nil, err
	}
	defer plugged.services.Close()
	clock, logged := o.clock(), ""
	for end := clock.Now().Add(o.Wait); ; {
		o.Unplugged = o.Unplugged && !plugged.in.Load()
		dev, err := c.try(ctx, o)
		if !errors.Is(err, program.ErrNoDevice) || errors.Is(err, d400.ErrNoUSB) || o.isBag() {
			return dev, err
		}
		waits()
		pause := o.Retry
		if left := end.Sub(clock.Now()); o.Wait > 0 && left <= 0 {
			return nil, fmt.Errorf("waited %v for a camera: %w", o.Wait, err)
		} else if o.Wait > 0 {
			pause = min(pause, left)
		}
		if text := err.Error(); text != logged {
			c.log.Warn().Err(err).Stringer("next_attempt_in", pause).Msg("waiting for the camera")
			logged = text
		}
		if err := clock.SleepUntil(ctx, clock.Now().Add(pause)); err != nil {
			return nil, fmt.Errorf("wait for a camera: %w", err)
		}
	}
}

// try opens the device while no other camera of the node is being opened, because selecting
// a USB camera opens others.
func (c *camera) try(ctx context.Context, o SourceOptions) (camdriver.Device, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return OpenSource(ctx, o)
}

// resetFirst resets the device if InitialReset is set, and waits for its return until ctx
// ends or the node is shut down. It calls waits before.
func (c *camera) resetFirst(ctx context.Context, waits func()) error {
	o := c.opts.Source
	if !o.InitialReset {
		return nil
	}
	returning, ok := c.device.(camdriver.Returning)
	if !ok {
		c.log.Warn().Msg("initial_reset has no effect: a recording can't be reset")
		return nil
	}
	c.log.Info().Msg("resetting the camera")
	if err := c.device.Reset(); err != nil {
		return fmt.Errorf("reset the camera before the start: %w", err)
	}
	ctx, done := graph.UntilKilled(ctx, c.node)
	defer done()
	wait := cmp.Or(o.Wait, resetWait)
	if wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	waits()
	if err := returning.AwaitReturn(ctx); errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: the camera didn't return within %v after its reset", program.ErrNoDevice, wait)
	} else if err != nil {
		return fmt.Errorf("wait for the camera's return after its reset: %w", err)
	}
	c.log.Info().Msg("the camera is back from its reset")
	return nil
}

// plugService is ~plug of a simulated camera that starts unplugged.
type plugService struct {
	services graph.Services
	in       atomic.Bool
}

func (c *camera) offerPlug(o SourceOptions) (*plugService, error) {
	p := &plugService{}
	if !o.Unplugged {
		return p, nil
	}
	var err error
	p.services, err = graph.OfferShared(c.node, graph.SetBool(c.private("plug"), func(in bool) (string, error) {
		p.in.Store(in)
		return map[bool]string{true: "plugged in", false: "unplugged"}[in], nil
	}))
	return p, err
}
