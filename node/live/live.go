// Package live publishes devices: cameras, simulated ones, or a recording that plays as a
// device. It opens the device, advertises its topics, services and parameters, passes its
// frames through a hub to the topics and the recorder, and publishes /diagnostics.
//
// It may use the camera drivers, node/control, ros/graph, node/naming and record. A
// Session owns its devices and goroutines; Close ends them in reverse order and waits.
package live

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/camdriver"
	"rsros/msgs"
	"rsros/node/bridge"
	"rsros/node/settings"
	"rsros/node/view"
	"rsros/program"
	"rsros/program/work"
	"rsros/record"
	"rsros/record/upload"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/viewer"
	"rsros/viewer/guard"
)

// Run publishes the devices of o until ctx ends, the node is shut down, the duration is over, or all devices ended.
// Then it closes all recordings. The error wraps program.ErrIncomplete if a recording lost frames.
func Run(ctx context.Context, o Options) error {
	l, err := Start(ctx, o)
	if err != nil {
		return err
	}
	hide := func() {}
	if o.Show != nil {
		hide = o.Show(l)
	}
	err = l.Wait(ctx)
	hide()
	return errors.Join(err, l.Close())
}

// Session publishes one or more devices.
type Session struct {
	opts    Options // from the caller
	log     zerolog.Logger
	joined  *graph.Node
	mirror  *bridge.Mirror // in ROS 2; nil without
	node    *ros.Node      // of joined
	cameras []*camera
	openMu  sync.Mutex                // held while one of the cameras is opened or offered
	waiting sync.WaitGroup            // goroutines that start cameras
	logged  atomic.Pointer[[]*camera] // cameras, for goroutines that log
	page    page                      // of the viewer
	ended   chan ending               // of cameras
	cleanup cleanup                   // run by Close
}

// Start opens the devices, advertises their topics and services, and starts their streams.
// If a step fails, it undoes the earlier ones.
//
// Several cameras start independently: Start doesn't wait for one that isn't connected or
// is being reset. Such a camera starts later.
func Start(ctx context.Context, o Options) (_ *Session, err error) {
	n := &Session{opts: o, log: o.Log}
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
		n.setCameras(list)
		for _, c := range n.cameras { // report a missing device without waiting for a master
			if err := c.open(ctx, c.labelled(n.log), noWait); err != nil {
				return nil, err
			}
		}
	}
	for _, text := range settings.Live.Misread(nil, o.ROS.Remaps, func(string) bool { return false }) {
		n.log.Warn().Msg(text)
	}
	private, err := n.connect(ctx, list)
	if err != nil {
		return nil, err
	}
	if list, err = o.each(o.ROS.PrivateParams, private); err != nil {
		return nil, err
	}
	for _, c := range list {
		log := n.log
		if len(list) > 1 {
			log = log.With().Str("camera", c.Camera).Logger()
			warnUnused(log, below(private, c.Camera))
		}
		warnOfSelectors(log, c.Source)
	}
	n.opts.Duration = list[0].Duration
	if list[0].Camera == "." { // not one of several
		list[0].Camera = n.node.Namespace()
	}
	n.setCameras(list)
	n.shareMemory()
	if err := n.startUploads(); err != nil {
		return nil, err
	}
	if err := n.offer(); err != nil {
		return nil, err
	}
	if err := n.serveViewers(); err != nil {
		return nil, err
	}
	n.warnOfSimTime(ctx)
	n.watchDoubles()
	if n.oneRecording() {
		n.cleanup.Add(n.cameras[0].records.Close)
	}
	n.cleanup.Add(func() error { return n.together((*camera).end) })
	if err := n.startAll(ctx); err != nil {
		return nil, err
	}
	n.show()
	return n, nil
}

// shareMemory bounds the memory of messages of all cameras that wait for the disk, and the garbage.
func (n *Session) shareMemory() {
	if limit := n.cameras[0].opts.Recording.Memory; limit > 0 {
		n.cleanup.AddFunc(program.BoundGarbage(limit))
		budget := work.NewBudget(limit)
		for _, c := range n.cameras {
			c.opts.Recording.Budget = budget
		}
	}
}

// startUploads starts uploading the cameras' recordings. Close waits for the uploads after it has ended the recordings.
func (n *Session) startUploads() error {
	var folders []string
	for _, c := range n.cameras {
		folders = append(folders, record.Folder(c.opts.RecordPath))
		if c.opts.Record != "" {
			folders = append(folders, filepath.Dir(c.opts.Record))
		}
	}
	q, err := upload.Start(n.cameras[0].opts.Recording.Upload, n.log, folders...)
	if err != nil || q == nil {
		return err
	}
	n.cleanup.AddFunc(q.Close)
	for _, c := range n.cameras {
		c.opts.Recording.Uploads = q
	}
	return nil
}

// Device returns the first device, nil until it is connected. The Session closes it.
func (n *Session) Device() camdriver.Device { return n.cameras[0].device }

// Profiles returns the profiles of its running streams, by sensor.
func (n *Session) Profiles() [][]camdriver.Profile { return n.cameras[0].profiles }

// LastRecording describes its recording that ended last.
func (n *Session) LastRecording() record.Figures { return n.cameras[0].records.Last }

func (n *Session) together(do func(*camera) error) error { return concurrently(n.cameras, do) }

func concurrently(cameras []*camera, do func(*camera) error) error {
	errs := make([]error, len(cameras))
	var wg sync.WaitGroup
	for i, c := range cameras {
		wg.Go(func() { errs[i] = do(c) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// setCameras sets the cameras. It keeps open devices that have the same settings.
func (n *Session) setCameras(list []Options) {
	old := n.cameras
	n.cameras = make([]*camera, len(list))
	for i, o := range list {
		c := &camera{openMu: &n.openMu, records: new(record.Camera)}
		switch {
		case i < len(old) && old[i].opts.Source.same(o.Source):
			c = old[i]
		case i < len(old):
			old[i].close() //nolint:errcheck // nothing was read from it
			fallthrough
		default:
			n.cleanup.Add(c.close)
		}
		c.opts, c.number, c.several, c.node = o, i, len(list) > 1, n.node
		n.cameras[i] = c
		c.first = new(firstRecording)
		if c.together() {
			c.records, c.first = n.cameras[0].records, n.cameras[0].first
		}
		c.first.awaited.Add(1)
		c.arrive = sync.OnceFunc(c.first.awaited.Done)
	}
}

// oneRecording reports whether several cameras are recorded into the same files.
func (n *Session) oneRecording() bool { return n.cameras[0].together() }

// recorders returns one camera for each recording.
func (n *Session) recorders() []*camera {
	if !n.oneRecording() {
		return n.cameras
	}
	for i, c := range n.cameras {
		if c.up.Load() {
			return n.cameras[i : i+1]
		}
	}
	return n.cameras[:1]
}

func (n *Session) connect(ctx context.Context, list []Options) (graph.Params, error) {
	conf := n.opts.ROS
	conf.OnLog = n.writeLog
	join := graph.JoinOptions{ROS: conf, Master: n.opts.Master, Name: "rs_ros_node", Log: n.log}
	joined, mirror, err := bridge.Join(ctx, n.opts.Worlds, join, n.inROS2(list))
	if err != nil {
		return nil, err
	}
	n.cleanup.Add(joined.Close)
	n.cleanup.AddFunc(mirror.Close)
	n.joined, n.mirror, n.node, n.log = joined, mirror, joined.Node, joined.Log()
	private, err := graph.PrivateParams(ctx, n.node)
	if err == nil {
		warnUnused(n.log, private)
	}
	return private, err
}

// writeLog adds an entry of the node's own log to all recordings.
func (n *Session) writeLog(line *msgs.Log) {
	if cameras := n.logged.Load(); cameras != nil {
		for _, c := range *cameras {
			c.records.WriteLog(line)
			if c.together() {
				break // the others share the recording
			}
		}
	}
}

// offer prepares the cameras, and offers the services of all of them. When the node ends,
// services end first, then subscribers receive their last messages, and then topics end.
func (n *Session) offer() error {
	n.ended = make(chan ending, len(n.cameras))
	for _, c := range n.cameras {
		c.node, c.log, c.nodeLog = n.node, c.labelled(n.log), n.log
		c.watch.camera, c.watch.ended = c, n.ended
	}
	n.logged.Store(&n.cameras)
	n.cleanup.Add(func() error { return n.together((*camera).closeTopics) })
	n.cleanup.Add(n.drain)
	n.cleanup.Add(func() error { return n.together((*camera).retire) })
	return n.serveAll()
}

// Wait returns when the node should end: ctx ended, rosnode kill, the duration is over, or all devices ended or failed.
// Only a failed device is an error. After a damaged recording it is program.ErrIncomplete.
func (n *Session) Wait(ctx context.Context) error {
	var over <-chan time.Time
	if n.opts.Duration > 0 {
		timer := time.NewTimer(n.opts.Duration)
		defer timer.Stop()
		over = timer.C
	}
	var err error
	for left := len(n.cameras); left > 0; {
		select {
		case <-ctx.Done():
			return err
		case <-over:
			return err
		case <-n.node.Done():
			n.log.Info().Msg("asked to shut down")
			return err
		case <-n.cameras[0].stopped:
			n.log.Info().Msg("playback was stopped")
			return err
		case e := <-n.ended:
			left--
			err = errors.Join(err, e.result())
			if left > 0 {
				e.camera.log.Error().Err(e.err).Msg("camera ended; the others go on")
			}
		}
	}
	return err
}

// Close stops the streams, ends the recordings, leaves the graph and closes the devices, in
// that order. It must be called only once.
func (n *Session) Close() error { return n.cleanup.Run(0) }

// flushTime bounds the wait at the end for subscribers to receive their last messages.
const flushTime = 800 * time.Millisecond

// drain waits until subscribers have received their messages, or flushTime has passed.
func (n *Session) drain() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	if err := errors.Join(n.node.Drain(ctx), n.mirror.Drain(ctx)); err != nil {
		n.log.Warn().Err(err).Msg("a subscriber didn't read its last messages")
	}
	return nil
}

// DescribeProfiles lists profiles for the log.
func DescribeProfiles(profiles [][]camdriver.Profile) string {
	var names []string
	for _, p := range slices.Concat(profiles...) {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}

// page is the viewer's page. It shows one camera at a time.
type page struct {
	server *viewer.Server // nil without viewers
	listen *guard.Listener

	mu    sync.Mutex
	shown []*camera // cameras that started
}

// ViewerURL returns the page's URL, or "" if it isn't served.
func (n *Session) ViewerURL() string { return n.page.listen.URL().Secret() }

// serveViewers serves the viewer's page if the options have an address.
func (n *Session) serveViewers() (err error) {
	o := view.Options{Access: n.opts.HTTP, RecordDir: record.Folder(n.cameras[0].opts.RecordPath)}
	n.page.server, n.page.listen, err = view.Serve(n.joined, o)
	if err == nil {
		n.cleanup.Add(n.page.listen.Close)
	}
	return err
}

// show offers the started cameras to viewers, who see the first one first.
func (n *Session) show() {
	p := &n.page
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return
	}
	for _, c := range n.cameras {
		if c.up.Load() && !slices.Contains(p.shown, c) {
			p.shown = append(p.shown, c)
			p.server.Attach(c.running())
		}
	}
}

func (c *camera) running() viewer.Running {
	name := c.opts.Source.Device
	if c.several {
		name = c.opts.Camera
	}
	return viewer.Running{
		ID: c.opts.Camera, Name: name, Device: c.device, Profiles: c.profiles, Hub: &c.hub, Records: c.records,
		RecordDir: record.Folder(c.opts.RecordPath), Frozen: &c.frozen,
	}
}
