package live

import (
	"context"
	"fmt"
	"sync"

	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/camdriver/sim"
	"rsros/node/graph"
)

// waitForIt is what a camera calls that isn't there yet if nothing else can go on
// without it.
func waitForIt() {}

// startAll starts the cameras. One camera is waited for. Of several, each starts for
// itself, and startAll returns when each has started or is waited for. What happens to
// those later is told to Wait. Close waits for the goroutines.
func (n *Node) startAll(ctx context.Context) error {
	if len(n.cameras) == 1 {
		return n.cameras[0].start(ctx, waitForIt)
	}
	late, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it goes on after Start
	n.later(func() error { cancel(); n.waiting.Wait(); return nil })
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

// startLate starts one of several cameras. It sends the result to settled, or nil as
// soon as the camera has to be waited for; then an error is the camera's ending.
func (n *Node) startLate(ctx context.Context, c *camera, settled chan<- error) {
	ctx, done := graph.UntilKilled(ctx, n.node)
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

// start opens the camera's device, resets it if the options say so, and offers and
// starts its streams. It calls waits when the device isn't there, or isn't back from its
// reset.
func (c *camera) start(ctx context.Context, waits func()) error {
	if err := c.open(ctx, c.log, waits); err != nil {
		return err
	}
	if err := c.resetFirst(ctx, waits); err != nil {
		return err
	}
	if err := c.offer(); err != nil {
		return err
	}
	c.up.Store(true)
	return c.begin(ctx)
}

// offer advertises the camera's topics and services.
func (c *camera) offer() error {
	c.turn.Lock()
	defer c.turn.Unlock()
	if err := c.choose(); err != nil {
		return err
	}
	err := c.advertise()
	c.topics = len(c.parts)
	if err != nil {
		return err
	}
	return c.serve()
}

// begin starts the recording, if the options name one, and then the streams. If ctx ends
// or the node is killed meanwhile, it doesn't wait for a simulated scene to be
// drawn, and Wait returns at once.
func (c *camera) begin(ctx context.Context) error {
	if c.opts.Record != "" {
		if _, err := c.records.Start(c.opts.Record); err != nil {
			return err
		}
	}
	if sim, ok := c.device.(*sim.Device); ok {
		ctx, cancel := graph.UntilKilled(ctx, c.node)
		c.log.Info().Msg("drawing the simulated scene")
		sim.Prepare(ctx, c.profiles)
		cancel()
	}
	if err := camdriver.StartSensors(c.device, c.profiles, &c.hub); err != nil {
		return err
	}
	if bag, ok := c.device.(*playback.Device); ok && !c.opts.Source.Paused {
		if err := bag.Resume(); err != nil {
			return err
		}
	}
	c.log.Info().Str("device", camdriver.Find(c.device.Info(), camdriver.InfoName)).Str("naming", string(c.opts.Naming)).Msg("streaming " + DescribeProfiles(c.profiles))
	return nil
}

// notYet is the answer to a request for a camera that isn't there yet.
func (c *camera) notYet() error {
	return fmt.Errorf("%s: the camera isn't there yet", c.opts.Camera)
}
