package live

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/foxglove/nodegraph"
	"rsros/node/graph"
	"rsros/node/record"
	"rsros/node/ros"
)

// Run publishes the devices of o until ctx ends, the node is shut down, the duration is
// over, or no device has more frames. Then it closes every recording and
// returns nil. The error wraps program.ErrIncomplete if a recording lost frames.
func Run(ctx context.Context, o Options) error {
	l, err := Start(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(l.Wait(ctx), l.Close())
}

// Node is one or more devices in the graph. Start returns it, and Close ends it.
type Node struct {
	opts    Options // as the caller gave them
	log     zerolog.Logger
	joined  *graph.Node
	node    *ros.Node // of joined
	cameras []*camera
	turn    sync.Mutex                // held while one of them is opened or offered
	waiting sync.WaitGroup            // goroutines that start them
	logged  atomic.Pointer[[]*camera] // cameras, for the goroutines that log
	page    page                      // of the viewer
	ended   chan ending               // cameras that have no more frames, or that didn't come
	parts   steps                     // what Close calls
}

// Start opens the devices, advertises their topics and services, and starts their
// streams. If a step fails, the earlier ones are undone.
//
// Of several cameras, each starts for itself: Start doesn't wait for one that isn't
// there or that is being reset. Such a camera joins the others later.
func Start(ctx context.Context, o Options) (_ *Node, err error) {
	n := &Node{opts: o, log: o.Log}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
		}
	}()
	list, err := o.each(o.ROS.PrivateParams, nil)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(list, func(c Options) bool { return c.Source.Device == "" || c.Source.Wait != 0 }) {
		n.adopt(list)
		for _, c := range n.cameras { // a missing device is reported without waiting for a master
			if err := c.open(ctx, c.labelled(n.log), waitForIt); err != nil {
				return nil, err
			}
		}
	}
	private, err := n.connect(ctx)
	if err != nil {
		return nil, err
	}
	if list, err = o.each(o.ROS.PrivateParams, private); err != nil {
		return nil, err
	}
	if len(list) > 1 {
		for _, c := range list {
			sayUnused(n.log.With().Str("camera", c.Camera).Logger(), below(private, c.Camera))
		}
	}
	n.opts.Duration = list[0].Duration
	if list[0].Camera == "." { // not one of several
		list[0].Camera = n.node.Namespace()
	}
	n.adopt(list)
	if err := n.offer(); err != nil {
		return nil, err
	}
	foxglove, err := nodegraph.Serve(n.joined, o.Foxglove, nil, o.Log)
	if err != nil {
		return nil, err
	}
	n.later(func() error { foxglove.Close(); return nil })
	if err := n.serveViewers(); err != nil {
		return nil, err
	}
	n.warnOfSimTime(ctx)
	n.watchDoubles()
	n.later(func() error { return n.together((*camera).end) })
	if err := n.startAll(ctx); err != nil {
		return nil, err
	}
	n.show()
	return n, nil
}

// Device returns the device that is published, or the first of several, which is nil until
// it is there. The Node closes it.
func (n *Node) Device() camdriver.Device { return n.cameras[0].device }

// Profiles returns the profiles of its running streams, by sensor.
func (n *Node) Profiles() [][]camdriver.Profile { return n.cameras[0].profiles }

// LastRecording describes its recording that ended last.
func (n *Node) LastRecording() record.Summary { return n.cameras[0].records.Last }

// later registers a step of Close.
func (n *Node) later(undo func() error) { n.parts.later(undo) }

// together does something with all cameras at the same time.
func (n *Node) together(do func(*camera) error) error {
	errs := make([]error, len(n.cameras))
	var wg sync.WaitGroup
	for i, c := range n.cameras {
		wg.Go(func() { errs[i] = do(c) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// adopt makes cameras of a list. It keeps devices that are open already with the same
// settings.
func (n *Node) adopt(list []Options) {
	old := n.cameras
	n.cameras = nil
	for i, o := range list {
		var c *camera
		if i < len(old) && old[i].opts.Source.same(o.Source) {
			c = old[i]
		} else {
			if i < len(old) {
				old[i].close() //nolint:errcheck // nothing was read from it
			}
			c = &camera{turn: &n.turn}
			n.later(c.close)
		}
		c.opts, c.number, c.several, c.node = o, i, len(list) > 1, n.node
		n.cameras = append(n.cameras, c)
	}
}

// connect joins the graph and returns the private parameters.
func (n *Node) connect(ctx context.Context) (graph.Params, error) {
	conf := n.opts.ROS
	conf.OnLog = n.writeLog
	joined, err := graph.Join(ctx, graph.JoinOptions{ROS: conf, Master: n.opts.Master, Name: "rs_ros_node", Log: n.log})
	if err != nil {
		return nil, err
	}
	n.later(joined.Close)
	n.joined, n.node, n.log = joined, joined.Node, joined.Log()
	private, err := graph.PrivateParams(ctx, n.node)
	if err == nil {
		sayUnused(n.log, private)
	}
	return private, err
}

// writeLog records a line of the node's own log, for every camera that records.
func (n *Node) writeLog(line *msgs.Log) {
	if cameras := n.logged.Load(); cameras != nil {
		for _, c := range *cameras {
			c.records.WriteLog(line)
		}
	}
}

// offer advertises what concerns all cameras, before they start. When the node ends,
// services end first, then subscribers receive what they haven't read yet, and then
// topics end.
func (n *Node) offer() error {
	n.ended = make(chan ending, len(n.cameras))
	for _, c := range n.cameras {
		c.join(n.node, n.log, n.ended)
	}
	n.logged.Store(&n.cameras)
	n.later(func() error { return n.together((*camera).hide) })
	n.later(n.drain)
	n.later(func() error { return n.together((*camera).retire) })
	return n.serveAll()
}

// Wait returns when the node should end: ctx ended, rosnode kill, the duration is
// over, or every device ended or failed. Only a failure of a device is an error. At the
// end of a recording that is damaged it is program.ErrIncomplete.
func (n *Node) Wait(ctx context.Context) error {
	var over <-chan time.Time
	if n.opts.Duration > 0 {
		timer := time.NewTimer(n.opts.Duration)
		defer timer.Stop()
		over = timer.C
	}
	var errs []error
	for left := len(n.cameras); left > 0; {
		select {
		case <-ctx.Done():
			return errors.Join(errs...)
		case <-over:
			return errors.Join(errs...)
		case <-n.node.Done():
			n.log.Info().Msg("asked to shut down")
			return errors.Join(errs...)
		case <-n.cameras[0].stopped:
			n.log.Info().Msg("playback was stopped")
			return errors.Join(errs...)
		case e := <-n.ended:
			left--
			errs = append(errs, e.result())
			if left > 0 {
				e.camera.log.Error().Err(e.err).Msg("this camera has ended; the others go on")
			}
		}
	}
	return errors.Join(errs...)
}

// Close stops the streams, ends the recordings, leaves the graph and closes the
// devices, in that order. It must be called only once.
func (n *Node) Close() error { return n.parts.undo(0) }

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

// DescribeProfiles lists profiles for the log.
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
