package live

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/camdriver/hub"
	"rsros/camdriver/playback"
	"rsros/camdriver/sim"
	"rsros/msgs"
	"rsros/node/graph"
	"rsros/node/naming"
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
	opts     Options
	log      zerolog.Logger
	joined   *graph.Node
	node     *ros.Node // of joined
	device   camdriver.Device
	profiles [][]camdriver.Profile
	hub      *hub.Hub
	records  *record.Camera
	watch    *watcher
	stamps   naming.Stamper // of all messages with ROS time
	streams  streamSwitch
	frozen   atomic.Bool     // nothing is published: ~pause_playback of a camera
	stopped  <-chan struct{} // closed when playback's ~stop is called; nil if there is no playback
	parts    []func() error  // what Close calls, in reverse order
}

// Start opens the device, advertises its topics and services, and starts its
// streams. If a step fails, the earlier ones are undone.
func Start(ctx context.Context, o Options) (_ *Node, err error) {
	l := &Node{opts: o, log: o.Log, hub: &hub.Hub{}, watch: newWatcher(), records: &record.Camera{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if err := errors.Join(l.opts.fill(o.ROS.PrivateParams), l.opts.keepInput()); err != nil {
		return nil, err
	}
	if l.opts.Source.Device != "" { // a missing device is reported without waiting for a master
		if err := l.open(ctx); err != nil {
			return nil, err
		}
	}
	if err := l.connect(ctx); err != nil {
		return nil, err
	}
	if err := l.open(ctx); err != nil {
		return nil, err
	}
	if l.profiles, err = l.opts.Streams.Choose(l.device.Sensors()); err != nil {
		return nil, fmt.Errorf("%s: %w", camdriver.Find(l.device.Info(), camdriver.InfoName), err)
	}
	if err := l.advertise(); err != nil {
		return nil, err
	}
	l.warnOfSimTime(ctx)
	l.watchDoubles()
	return l, l.begin(ctx)
}

// warnOfSimTime says that a camera's frames don't follow simulated time. A
// recording needs no warning: its /clock is the time of its frames.
func (l *Node) warnOfSimTime(ctx context.Context) {
	if _, ok := l.device.(*playback.Device); ok {
		return
	}
	v, ok, err := l.node.Param(ctx, "/use_sim_time")
	if on, _ := v.(bool); err == nil && ok && on {
		l.log.Warn().Msg("/use_sim_time is true, but frames are stamped with the computer's time, not with /clock: " +
			"a camera takes its frames in real time, and /clock may stop or jump between two of them")
	}
}

// Device returns the device that is published. The Node closes it.
func (l *Node) Device() camdriver.Device { return l.device }

// Profiles returns the profiles of the running streams, by sensor.
func (l *Node) Profiles() [][]camdriver.Profile { return l.profiles }

// LastRecording describes the recording that ended last.
func (l *Node) LastRecording() record.Summary { return l.records.Last }

// later registers a step of Close.
func (l *Node) later(undo func() error) { l.parts = append(l.parts, undo) }

// connect joins the graph and completes the options from private parameters.
func (l *Node) connect(ctx context.Context) error {
	conf := l.opts.ROS
	conf.OnLog = l.records.WriteLog
	n, err := graph.Join(ctx, graph.JoinOptions{ROS: conf, Master: l.opts.Master, Name: "rs_ros_node", Log: l.log})
	if err != nil {
		return err
	}
	l.later(n.Close)
	l.joined, l.node, l.log = n, n.Node, n.Log()
	private, err := graph.PrivateParams(ctx, l.node)
	if err != nil {
		return err
	}
	if err := errors.Join(l.opts.checkRemotePaths(private), l.opts.fill(private)); err != nil {
		return err
	}
	sayUnused(l.log, private)
	l.opts.setDefaults()
	return l.opts.keepInput()
}

// open opens the device unless it is open.
func (l *Node) open(ctx context.Context) error {
	if l.device != nil {
		return nil
	}
	l.opts.Source.Log = l.log.With().Str("component", "camera").Logger()
	dev, err := OpenSource(ctx, l.opts.Source)
	if err != nil {
		return err
	}
	l.device = dev
	l.later(dev.Close)
	return nil
}

// advertise advertises the topics and services. The streams aren't started yet, so
// that subscribers that were already waiting miss no frame.
func (l *Node) advertise() error {
	snap := camdriver.Snapshot(l.device, l.profiles)
	if l.opts.Naming.SDK() {
		sdk, err := naming.NewSDKTopics(l.node, snap)
		if err != nil {
			return err
		}
		l.attach(l.gate(sdk), sdk.Close)
	}
	if l.opts.Naming.Wrapper() {
		l.opts.Wrapper.Camera = l.opts.Camera
		wrapper, err := naming.NewWrapperTopics(l.node, l.opts.Wrapper, snap, &l.stamps)
		if err != nil {
			return err
		}
		l.attach(l.gate(wrapper), wrapper.Close)
		if err := l.offerCameraOptions(); err != nil {
			return err
		}
	}
	l.later(l.drain)
	if l.opts.Observer != nil {
		l.attach(l.opts.Observer, nil)
	}
	l.attach(&eventLog{log: l.log}, nil)
	l.attach(l.watch, nil)
	l.serveRecordings()
	l.later(l.records.Close)
	services, err := graph.OfferShared(l.node, l.services()...)
	if err != nil {
		return err
	}
	l.later(func() error { services.Close(); return nil })
	if err := l.steerBag(); err != nil {
		return err
	}
	if err := l.offerPause(); err != nil {
		return err
	}
	return l.startDiagnostics()
}

// serveRecordings makes the device available for recording.
func (l *Node) serveRecordings() {
	now := time.Now
	if c := l.opts.Source.Clock; c != nil {
		now = c.Now
	}
	if _, ok := l.device.(*playback.Device); ok {
		// There is no clock for a file's frames: events get the time of the latest
		// frame.
		now = func() time.Time { return time.Time{} }
	}
	l.records.Serve(record.Source{Hub: l.hub, Device: l.device, Profiles: l.profiles, Now: now}, l.opts.Recording, l.opts.RecordPath, l.log)
}

// attach makes h a consumer of the hub until Close.
func (l *Node) attach(h camdriver.Handler, closer func() error) {
	detach := l.hub.Attach(h)
	l.later(func() error {
		detach()
		if closer == nil {
			return nil
		}
		return closer()
	})
}

// begin starts the recording, if the options name one, and then the streams. If ctx ends
// or the node is killed meanwhile, it doesn't wait for a simulated scene to be
// drawn, and Wait returns at once.
func (l *Node) begin(ctx context.Context) error {
	if l.opts.Record != "" {
		if _, err := l.records.Start(l.opts.Record); err != nil {
			return err
		}
	}
	if sim, ok := l.device.(*sim.Device); ok {
		ctx, cancel := graph.UntilKilled(ctx, l.node)
		sim.Prepare(ctx, l.profiles)
		cancel()
	}
	if err := startSensors(l.device, l.profiles, l.hub); err != nil {
		return err
	}
	if bag, ok := l.device.(*playback.Device); ok && !l.opts.Source.Paused {
		if err := bag.Resume(); err != nil {
			return err
		}
	}
	l.later(l.sayTotals)
	l.later(func() error { return stopSensors(l.device) })
	l.log.Info().Str("device", camdriver.Find(l.device.Info(), camdriver.InfoName)).Str("naming", string(l.opts.Naming)).Msg("streaming " + DescribeProfiles(l.profiles))
	return nil
}

// sayTotals logs the number of frames of each stream, after the streams stopped.
func (l *Node) sayTotals() error {
	for _, list := range l.profiles {
		for _, p := range list {
			frames, gaps := l.hub.Given(p.Stream)
			l.log.Info().Stringer("stream", p.Stream).Uint64("frames", frames).Uint64("lost_before_arrival", gaps).Msg("stopped")
		}
	}
	return nil
}

// Wait returns when the node should end: ctx ended, rosnode kill, the duration is
// over, or the device ended or failed. Only a failure of the device is an error. At the end of a recording that is damaged its error is
// ErrIncomplete.
func (l *Node) Wait(ctx context.Context) error {
	var over <-chan time.Time
	if l.opts.Duration > 0 {
		timer := time.NewTimer(l.opts.Duration)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
	case <-over:
	case <-l.node.Done():
		l.log.Info().Msg("asked to shut down")
	case <-l.stopped:
		l.log.Info().Msg("playback was stopped")
	case err := <-l.watch.ended:
		if bag, ok := l.device.(*playback.Device); ok && err == nil {
			return damageOf(bag)
		}
		return err
	}
	return nil
}

// Close stops the streams, ends the recording, leaves the graph and closes the
// device, in that order. It must be called only once.
func (l *Node) Close() error {
	var errs []error
	for i := len(l.parts) - 1; i >= 0; i-- {
		errs = append(errs, l.parts[i]())
	}
	l.parts = nil
	return errors.Join(errs...)
}

// flushTime is how long a node that ends waits for all subscribers to receive their
// last messages.
const flushTime = 800 * time.Millisecond

// drain hands over what subscribers haven't read yet. One that reads nothing
// loses its last messages.
func (l *Node) drain() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := l.node.Drain(ctx); err != nil {
		l.log.Warn().Err(err).Msg("a subscriber didn't take its last messages")
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

// publish publishes a small message.
func publish(p *ros.Publisher, m msgs.Message) { p.Publish(msgs.Raw{Head: msgs.Marshal(m)}) }
