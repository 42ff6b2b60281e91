package live

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/sim"
	"rsros/program/work"
	"rsros/replay"
	"rsros/replay/recorded"
)

// noWait is an onWaiting function that does nothing.
func noWait() {}

// startAll starts the cameras. It waits for a single camera. Several cameras start independently, and startAll returns
// when each has started or is waited for; Wait returns their later errors. Close waits for the goroutines.
func (n *Session) startAll(ctx context.Context) error {
	if len(n.cameras) == 1 {
		return n.cameras[0].start(ctx, noWait)
	}
	late, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it goes on after Start
	n.cleanup.AddFunc(func() { cancel(); n.waiting.Wait() })
	settled := make(chan error)
	for _, c := range n.cameras {
		n.waiting.Go(func() { n.startLate(late, c, settled) })
	}
	for range n.cameras {
		select {
		case err := <-settled:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// startLate starts one of several cameras. It sends the result to settled, or nil as soon as
// the camera must be waited for. A later error ends the camera.
func (n *Session) startLate(ctx context.Context, c *camera, settled chan<- error) {
	ctx, done := n.node.UntilDone(ctx)
	defer done()
	settle := func(err error) {
		select {
		case settled <- err:
		case <-ctx.Done():
		}
	}
	waited := false
	var once sync.Once
	err := c.start(ctx, func() { once.Do(func() { waited = true; settle(nil) }) })
	switch {
	case !waited:
		settle(err)
	case ctx.Err() != nil: // the node ends
	case err != nil:
		c.watch.end(err)
	default:
		n.show()
	}
}

// start opens the camera's device, resets it if InitialReset is set, and offers and starts its streams, until ctx ends
// or the node is killed. It calls onWaiting if the device isn't connected or is being reset.
func (c *camera) start(ctx context.Context, onWaiting func()) error {
	defer c.arrive()
	if err := c.open(ctx, c.log, func() { c.arrive(); onWaiting() }); err != nil {
		return err
	}
	ctx, done := c.node.UntilDone(ctx)
	defer done()
	if err := c.resetFirst(ctx, onWaiting); err != nil {
		return err
	}
	if err := c.offer(ctx); err != nil {
		return err
	}
	c.up.Store(true)
	return c.begin(ctx)
}

func (c *camera) offer(ctx context.Context) (err error) {
	c.openMu.Lock()
	defer c.openMu.Unlock()
	if c.profiles, err = c.opts.Streams.Choose(c.device.Sensors()); err != nil {
		return fmt.Errorf("%s: %w", camdriver.Find(c.device.Info(), camdriver.InfoName), err)
	}
	err = c.advertise(ctx)
	c.topics = len(c.cleanup)
	if err != nil {
		return err
	}
	return c.serve()
}

// firstRecording is the recording that the options name. Cameras that are recorded together share it.
type firstRecording struct {
	once    sync.Once
	awaited sync.WaitGroup // cameras that are connected and can't be recorded yet
}

// begin starts the recording, if the options name one, and then the streams. It draws a
// simulated scene first, until ctx ends.
func (c *camera) begin(ctx context.Context) error {
	if c.opts.Record != "" {
		c.arrive()
		c.first.awaited.Wait()
		var err error
		c.first.once.Do(func() { _, err = c.records.Start(c.opts.Record) })
		if err != nil {
			return err
		}
	}
	if sim, ok := c.device.(*sim.Device); ok {
		c.log.Info().Msg("drawing the simulated scene")
		sim.Prepare(ctx, c.profiles)
	}
	if err := camdriver.StartSensors(c.device, c.profiles, &c.hub); err != nil {
		return err
	}
	if bag, ok := c.device.(*recorded.Device); ok && !c.opts.Source.Paused {
		if err := bag.Do(ctx, replay.Resume{}); err != nil {
			return err
		}
	}
	c.log.Info().Str("device", camdriver.Find(c.device.Info(), camdriver.InfoName)).
		Str("naming", string(c.opts.Naming)).Msg("streaming " + DescribeProfiles(c.profiles))
	return nil
}

// cleanup is a stack of functions that end the parts of a camera or node.
type cleanup []func() error

func (c *cleanup) Add(end func() error) { *c = append(*c, end) }

// AddFunc adds a function that can't fail.
func (c *cleanup) AddFunc(end func()) { c.Add(func() error { end(); return nil }) }

// Go calls do on a new goroutine. Run cancels its context and waits for it.
func (c *cleanup) Go(do func(context.Context)) { c.AddFunc(work.Run(context.Background(), do)) }

// Run removes all functions but the first keep, the last added first, and calls each.
func (c *cleanup) Run(keep int) error {
	var errs []error
	for i := len(*c) - 1; i >= keep; i-- {
		end := (*c)[i]
		*c = (*c)[:i]
		errs = append(errs, end())
	}
	return errors.Join(errs...)
}
