package live

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/playback"
	"rsros/node/graph"
	"rsros/node/record"
	"rsros/node/ros"
)

// Run publishes a device until ctx ends, the node is shut down, the duration is
// over, or the device has no more frames. Then it closes every recording and
// returns nil. The error wraps program.ErrIncomplete if a recording lost frames.
func Run(ctx context.Context, o Options) error {
	l, err := Start(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(l.Wait(ctx), l.Close())
}

// Node is a device in the graph. Start returns it, and Close ends it.
type Node struct {
	opts   Options
	log    zerolog.Logger
	joined *graph.Node
	node   *ros.Node // of joined
	camera *camera
	parts  []func() error // what Close calls, in reverse order
}

// Start opens the device, advertises its topics and services, and starts its
// streams. If a step fails, the earlier ones are undone.
func Start(ctx context.Context, o Options) (_ *Node, err error) {
	n := &Node{opts: o, log: o.Log}
	n.camera = newCamera(n.later)
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	if err := errors.Join(n.opts.fill(o.ROS.PrivateParams), n.opts.keepInput()); err != nil {
		return nil, err
	}
	if n.opts.Source.Device != "" { // a missing device is reported without waiting for a master
		if err := n.camera.open(ctx, n.opts.Source, n.log); err != nil {
			return nil, err
		}
	}
	if err := n.connect(ctx); err != nil {
		return nil, err
	}
	if err := n.camera.open(ctx, n.opts.Source, n.log); err != nil {
		return nil, err
	}
	if err := n.offer(); err != nil {
		return nil, err
	}
	n.camera.warnOfSimTime(ctx)
	n.watchDoubles()
	if err := n.camera.begin(ctx); err != nil {
		return nil, err
	}
	n.later(n.camera.end)
	return n, nil
}

// Device returns the device that is published. The Node closes it.
func (n *Node) Device() camdriver.Device { return n.camera.device }

// Profiles returns the profiles of the running streams, by sensor.
func (n *Node) Profiles() [][]camdriver.Profile { return n.camera.profiles }

// LastRecording describes the recording that ended last.
func (n *Node) LastRecording() record.Summary { return n.camera.records.Last }

// later registers a step of Close.
func (n *Node) later(undo func() error) { n.parts = append(n.parts, undo) }

// connect joins the graph and completes the options from private parameters.
func (n *Node) connect(ctx context.Context) error {
	conf := n.opts.ROS
	conf.OnLog = n.camera.records.WriteLog
	joined, err := graph.Join(ctx, graph.JoinOptions{ROS: conf, Master: n.opts.Master, Name: "rs_ros_node", Log: n.log})
	if err != nil {
		return err
	}
	n.later(joined.Close)
	n.joined, n.node, n.log = joined, joined.Node, joined.Log()
	private, err := graph.PrivateParams(ctx, n.node)
	if err != nil {
		return err
	}
	if err := errors.Join(n.opts.checkRemotePaths(private), n.opts.fill(private)); err != nil {
		return err
	}
	sayUnused(n.log, private)
	n.opts.setDefaults()
	if n.opts.Camera == "." {
		n.opts.Camera = n.node.Namespace()
	}
	return n.opts.keepInput()
}

// offer advertises the topics and services. When the node ends, services end first,
// then subscribers receive what they haven't read yet, and then topics end.
func (n *Node) offer() error {
	c := n.camera
	c.opts, c.log, c.node = n.opts, n.log, n.node
	if err := c.choose(); err != nil {
		return err
	}
	if err := c.advertise(); err != nil {
		return err
	}
	n.later(n.drain)
	return c.serve()
}

// Wait returns when the node should end: ctx ended, rosnode kill, the duration is
// over, or the device ended or failed. Only a failure of the device is an error. At the
// end of a recording that is damaged it is program.ErrIncomplete.
func (n *Node) Wait(ctx context.Context) error {
	var over <-chan time.Time
	if n.opts.Duration > 0 {
		timer := time.NewTimer(n.opts.Duration)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
	case <-over:
	case <-n.node.Done():
		n.log.Info().Msg("asked to shut down")
	case <-n.camera.stopped:
		n.log.Info().Msg("playback was stopped")
	case err := <-n.camera.watch.ended:
		if bag, ok := n.camera.device.(*playback.Device); ok && err == nil {
			return damageOf(bag)
		}
		return err
	}
	return nil
}

// Close stops the streams, ends the recording, leaves the graph and closes the
// device, in that order. It must be called only once.
func (n *Node) Close() error {
	var errs []error
	for i := len(n.parts) - 1; i >= 0; i-- {
		errs = append(errs, n.parts[i]())
	}
	n.parts = nil
	return errors.Join(errs...)
}

// flushTime is how long a node that ends waits for all subscribers to receive their
// last messages.
const flushTime = 800 * time.Millisecond

// drain hands over what subscribers haven't read yet. One that reads nothing
// loses its last messages.
func (n *Node) drain() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := n.node.Drain(ctx); err != nil {
		n.log.Warn().Err(err).Msg("a subscriber didn't take its last messages")
	}
	return nil
}

func DescribeProfiles(profiles [][]camdriver.Profile) string {
	text := ""
	for _, list := range profiles {
		for _, p := range list {
			if text != "" {
				text += ", "
			}
			text += p.String()
		}
	}
	return text
}
