package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/naming"
	"rsros/record"
	"rsros/replay/recorded"
	"rsros/ros"
	"rsros/ros/graph"
)

type camera struct {
	opts     Options
	number   int  // among the node's cameras, from 0
	several  bool // the node has others
	log      zerolog.Logger
	nodeLog  zerolog.Logger
	node     *ros.Node
	openMu   *sync.Mutex      // held while a camera of the node is opened or offered
	up       atomic.Bool      // the camera is offered: from then on, the following fields except hub don't change
	cleanup  cleanup          // ends topics and services
	topics   int              // number of cleanup functions that end topics; the others run first
	device   camdriver.Device // nil before open
	profiles [][]camdriver.Profile
	hub      camdriver.Hub
	records  *record.Camera
	first    *firstRecording
	arrive   func() // first waits for the camera no longer
	watch    watcher
	stamps   naming.Stamper // of all messages with ROS time
	streams  streamSwitch
	frozen   atomic.Bool           // publishing is paused by ~pause_playback
	drops    []func() naming.Drops // of the topics of each naming
	stopped  <-chan struct{}       // closed when playback's ~stop is called; nil if there is no playback
}

// retire ends the services and the consumers of frames. Afterwards closeTopics ends the topics.
func (c *camera) retire() error      { return c.cleanup.Run(c.topics) }
func (c *camera) closeTopics() error { return c.cleanup.Run(0) }

// open opens the device unless it is open. It calls onWaiting if the device isn't connected.
func (c *camera) open(ctx context.Context, log zerolog.Logger, onWaiting func()) (err error) {
	if c.device != nil {
		return nil
	}
	o := c.opts.Source
	o.Log = log.With().Str("component", "camera").Logger()
	c.device, err = c.await(ctx, o, onWaiting)
	return err
}

// close closes the device. It may be called twice.
func (c *camera) close() error {
	if c.device == nil {
		return nil
	}
	return c.device.Close()
}

// labelled adds the camera's name to log entries if there are several.
func (c *camera) labelled(log zerolog.Logger) zerolog.Logger {
	if !c.several {
		return log
	}
	return log.With().Str("camera", c.opts.Camera).Logger()
}

// private returns ~name, or ~front/name if there are several cameras.
func (c *camera) private(name string) string {
	if !c.several {
		return "~" + name
	}
	return "~" + strings.Trim(c.opts.Camera, "/") + "/" + name
}

// advertise advertises the topics before the streams start: subscribers miss no frame.
func (c *camera) advertise(ctx context.Context) error {
	if err := c.loadPreset(); err != nil {
		return err
	}
	snap := camdriver.Snapshot(c.device, c.profiles)
	if c.opts.Naming.SDK() {
		sdk, err := naming.NewSDKTopics(ctx, c.node, snap, c.number)
		if err != nil {
			return err
		}
		c.attach(c.gate(sdk), sdk.Close)
		c.drops = append(c.drops, sdk.Drops)
	}
	if c.opts.Naming.Wrapper() {
		c.opts.Wrapper.Camera = c.opts.Camera
		wrapper, err := naming.NewWrapperTopics(ctx, c.node, c.opts.Wrapper, snap, &c.stamps)
		if err != nil {
			return err
		}
		c.attach(c.gate(wrapper), wrapper.Close)
		c.drops = append(c.drops, wrapper.Drops)
		if err := errors.Join(c.offerCameraOptions(ctx), c.offerRegions(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// serve makes the device available for recording, and offers its services.
func (c *camera) serve() error {
	if c.opts.Observer != nil {
		c.attach(c.opts.Observer, nil)
	}
	c.attach(&c.watch, nil)
	now := recorded.ArrivalClock(c.device, c.opts.Source.clock())
	source := record.Source{
		Hub: &c.hub, Device: c.device, Profiles: c.profiles, Now: now, Name: c.opts.Camera, Node: c.node,
	}
	if c.together() { // the node ends the recording
		source.Number = c.number
		c.records.Join(source, c.opts.Recording, c.opts.RecordPath, c.nodeLog)
	} else {
		c.records.Join(source, c.opts.Recording, c.opts.RecordPath, c.log)
		c.cleanup.Add(c.records.Close)
	}
	services, err := graph.Offer(c.node, c.services()...)
	if err != nil {
		return err
	}
	c.cleanup.AddFunc(services.Close)
	if err := c.offerPlayback(); err != nil {
		return err
	}
	return c.startDiagnostics()
}

// together reports whether the camera is recorded with others.
func (c *camera) together() bool { return c.several && c.opts.Together }

// attach attaches h to the hub until the camera ends, and then calls closer unless it is nil.
func (c *camera) attach(h camdriver.Handler, closer func()) {
	detach := c.hub.Attach(h)
	c.cleanup.AddFunc(func() {
		detach()
		if closer != nil {
			closer()
		}
	})
}

// end stops the streams, if they were offered, and logs their numbers of frames.
func (c *camera) end() error {
	if !c.up.Load() {
		return nil
	}
	err := camdriver.StopSensors(c.device)
	for _, list := range c.profiles {
		for _, p := range list {
			frames, gaps := c.hub.Counts(p.Stream)
			c.log.Info().Stringer("stream", p.Stream).Uint64("frames", frames).Uint64("lost_before_arrival", gaps).Msg("stopped")
		}
	}
	return err
}

func publish(p *ros.Publisher, m msgs.Message) { p.Publish(msgs.Raw{Head: msgs.Marshal(m)}) }

// watcher logs events, and waits for the end of a file or a failure. An unplugged camera hasn't ended.
type watcher struct {
	camdriver.NopHandler
	camera *camera
	ended  chan<- ending // has room for an ending of each camera
	once   sync.Once
}

type ending struct {
	camera *camera
	err    error // nil at the end of a file
}

func (w *watcher) StatusChanged(s camdriver.Status) {
	if s.Err != nil {
		w.camera.log.Warn().Err(s.Err).Msg("device " + s.Kind.String())
	} else {
		w.camera.log.Info().Msg("device " + s.Kind.String())
	}
	switch s.Kind {
	case camdriver.StatusEnded:
		w.end(nil)
	case camdriver.StatusFailed:
		w.end(fmt.Errorf("the device failed: %w", s.Err))
	}
}

func (w *watcher) end(err error) {
	w.once.Do(func() { w.ended <- ending{w.camera, err} })
}

// result returns the node's error for the ending. It must not be called by a Handler.
func (e ending) result() error {
	if e.err != nil && e.camera.several {
		return fmt.Errorf("camera %s: %w", e.camera.opts.Camera, e.err)
	}
	if bag, ok := e.camera.device.(*recorded.Device); ok && e.err == nil {
		return damageOf(bag)
	}
	return e.err
}

func (w *watcher) OptionChanged(sensor int, id camdriver.OptionID, value float32) {
	w.camera.log.Debug().Int("sensor", sensor).Stringer("option", id).Float32("value", value).Msg("option changed")
}

func (w *watcher) Notification(sensor int, n camdriver.Notification) {
	level := zerolog.InfoLevel
	switch n.Severity {
	case camdriver.SeverityWarn:
		level = zerolog.WarnLevel
	case camdriver.SeverityError, camdriver.SeverityFatal:
		level = zerolog.ErrorLevel
	}
	w.camera.log.WithLevel(level).Int("sensor", sensor).Stringer("category", n.Category).Msg(n.Description)
}
