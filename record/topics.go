package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program"
	"rsros/program/localfile"
	"rsros/program/work"
	"rsros/record/upload"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/ros/names"
	"rsros/tools/info"
)

// TopicOptions have the meaning that they have in rosbag record.
type TopicOptions struct {
	Topics  []string `setting:"topic"` // names; with Regex, expressions that match whole names
	All     bool     `setting:"all"`   // every topic
	Regex   bool     `setting:"regex"`
	Exclude string   `setting:"exclude"` // regular expression of topics to leave out
	Node    string   `setting:"node"`    // also every topic that this node subscribes to

	Output     string        `setting:"output-name"`    // path of the bag; numbered when split
	Prefix     string        `setting:"output-prefix"`  // path before the time stamp, if Output is empty
	Split      bool          `setting:"split"`          // start a new file at MaxSize or MaxTime instead of ending
	MaxSize    int64         `setting:"size"`           // bytes; 0 is no limit
	MaxTime    time.Duration `setting:"duration"`       // 0 is no limit
	MaxSplits  int           `setting:"max-splits"`     // keep this many finished files of this run besides the one that is written; 0 keeps all
	Keep       int64         `setting:"keep"`           // bytes of finished files of this run that are kept; 0 keeps all
	MinSpace   int64         `setting:"min-space"`      // bytes that stay free on the disk; below it messages are dropped. 0 disables the check
	QueueBytes int64         `setting:"buffsize"`       // what may wait for the disk; 0 is no bound
	Memory     int64         `setting:"memory"`         // the same, instead of QueueBytes if it isn't 0
	Latched    bool          `setting:"repeat-latched"` // begin each file of a split with the newest latched messages
	NoDelay    bool          `setting:"tcpnodelay"`
	Publish    bool          `setting:"publish"` // the path of each new file on /begin_write (std_msgs/String), latched
	Bag        bagstore.Options
	Upload     upload.Options
	Thinning   Thinning
	Time       string `setting:"time"` // record times: arrival (the default), or stamp for those of headers
	Ring       Ring
	Triggers   TriggerRules
	DB3        bool `setting:"db3"` // into .db3 files of ROS 2, as an Output that ends in .db3 says, too

	ROS    graph.Config // the name defaults to record_ and a unique end, as rosbag's
	Master graph.Mode   `setting:"master"`

	// Show, if not nil, lets viewers see and control the recording. It is called when the
	// recording runs, and the returned function before it ends.
	Show func(*graph.Node, *TopicRecording) (close func() error, err error)

	Log zerolog.Logger
}

func (o *TopicOptions) check() error {
	o.QueueBytes = cmp.Or(o.Memory, o.QueueBytes)
	switch {
	case len(o.Topics) == 0 && !o.All && o.Node == "":
		return fmt.Errorf("%w: name topics to record, or use --all", program.ErrUsage)
	case o.Output != "" && o.Prefix != "":
		return fmt.Errorf("%w: --output-name and --output-prefix don't go together", program.ErrUsage)
	case o.Keep > 0 && !o.Split:
		return fmt.Errorf("%w: --keep needs --split", program.ErrUsage)
	case o.Split && o.MaxSize == 0 && o.MaxTime == 0:
		return fmt.Errorf("%w: --split needs --size or --duration", program.ErrUsage)
	case o.Bag.LZ4Topics != nil && o.Bag.Kind() != bagstore.LZ4:
		return fmt.Errorf("%w: --lz4-topics and --bz2 don't go together", program.ErrUsage)
	}
	if err := o.checkRing(); err != nil {
		return err
	}
	if err := upload.OnlyPaths(o.Output, o.Prefix); err != nil {
		return err
	}
	return o.checkFormat()
}

// checkRing completes the options: each file of a ring is one that can be played alone.
func (o *TopicOptions) checkRing() error {
	if o.Ring.Before == 0 && (len(o.Triggers.Expressions) > 0 || len(o.Triggers.Silences) > 0) {
		return fmt.Errorf("%w: --trigger and --trigger-silence need --ring", program.ErrUsage)
	}
	o.Latched = o.Latched || o.Ring.Before > 0
	return o.Ring.check(o.Split || o.MaxSize > 0 || o.MaxTime > 0 || o.Bag.Overwrite)
}

// folder returns that of the files.
func (o *TopicOptions) folder() string { return filepath.Dir(cmp.Or(o.Output, o.Prefix, ".") + "_") }

func (o *TopicOptions) checkFormat() error {
	_, ext := splitExt(o.Output)
	if ext == extBag && o.DB3 {
		return fmt.Errorf("%w: --db3 doesn't record into %s", program.ErrUsage, o.Output)
	}
	o.DB3 = o.DB3 || ext == extDB3
	if c := o.Bag.Kind(); o.DB3 && c != bagstore.None {
		return fmt.Errorf("%w: a .db3 is recorded uncompressed, not with %s", program.ErrUsage, c)
	}
	return nil
}

func (o *TopicOptions) ext() string {
	if o.DB3 {
		return extDB3
	}
	return extBag
}

// Topics records topics into bags until ctx or the node ends or a limit is reached. The
// error wraps program.ErrUsage for invalid settings, and program.ErrIncomplete if messages
// were lost.
func Topics(ctx context.Context, o TopicOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	defer program.BoundGarbage(o.Memory)()
	n, err := graph.Join(ctx, graph.JoinOptions{ROS: o.ROS, Master: o.Master, Name: "record", Unique: true, Log: o.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	want, err := newTopicFilter(o, n.Resolve)
	if err != nil {
		return err
	}
	uploads, err := upload.Start(o.Upload, o.Log, o.folder())
	if err != nil {
		return err
	}
	defer uploads.Close()
	r := &topicRecorder{
		opts: o, node: n, log: o.Log, want: want, subs: map[string]*ros.Subscriber{}, leftOut: map[string]bool{},
		space: spaceGuard{minimum: o.MinSpace, free: localfile.FreeSpace, uploads: uploads},
		flows: map[string]*flow{}, dropLog: zerolog.BurstSampler{Burst: 1, Period: time.Second},
	}
	if r.thin, err = o.Thinning.parse(n.Resolve); err != nil {
		return err
	}
	if r.thin.count > 0 && o.All {
		return fmt.Errorf("%w: --limit N goes with named topics, not with --all", program.ErrUsage)
	}
	if r.triggers, err = newTriggers(o.Triggers, &r.types, n.Resolve, o.Log, r.trigger); err != nil {
		return err
	}
	return r.run(ctx)
}

// topicRecorder subscribes to topics as they appear and queues their messages for one
// writing goroutine. A message stays in its receive buffer until it is written.
type topicRecorder struct {
	opts   TopicOptions
	node   *graph.Node
	log    zerolog.Logger
	want   topicFilter
	budget *work.Budget
	queue  *work.Queue[*flow, topicMessage]
	files  *topicFiles
	subs   map[string]*ros.Subscriber

	leftOut  map[string]bool // topics that can't be subscribed to
	space    spaceGuard
	thin     thinning
	triggers *triggers
	types    definitions

	mu    sync.Mutex
	flows map[string]*flow // by topic

	marks   atomic.Uint64
	paused  atomic.Bool
	dropped atomic.Uint64
	dropLog zerolog.BurstSampler // one line a second
	missed  atomic.Bool          // a trigger was dropped from the queue

	status        *ros.Publisher // ~status
	loggedMissing uint64         // number of missing messages that was last logged
}

// topicMessage is a queued message. Without a buffer it only carries the current time, and
// a trigger or a mark.
type topicMessage struct {
	topic   string
	flow    *flow
	header  ros.Header
	time    bagstore.Time // of arrival
	stamp   bagstore.Time // in the recording
	buffer  *ros.Buffer
	host    time.Time // on the host's clock; without a buffer only
	trigger bool
	mark    string // its text; "" if it isn't one
}

// size returns the number of bytes of the message.
func (m *topicMessage) size() int {
	if m.buffer == nil {
		return 0
	}
	return len(m.buffer.Bytes())
}

func (r *topicRecorder) run(ctx context.Context) error {
	if err := waitForTime(ctx, r.node, r.opts.MaxTime > 0, r.log); err != nil {
		return nil // ended before there was anything to record
	}
	r.budget = work.NewBudget(r.opts.QueueBytes)
	r.queue = work.NewQueue[*flow](r.budget, r.drop)
	files := newTopicFiles(r.opts, r.budget, r.space.uploads, r.node.Now, r.log)
	r.files, r.space.ring = files, files
	running := newTopicRecording(r)
	if r.opts.Publish {
		if err := r.announce(); err != nil {
			return err
		}
	}
	if err := r.advertiseStatus(); err != nil {
		return err
	}
	if err := files.begin(); err != nil {
		return err
	}
	services, err := graph.Offer(r.node.Node, running.services()...)
	if err != nil {
		return errors.Join(err, files.end())
	}
	hide, err := r.show(running)
	if err != nil {
		services.Close()
		return errors.Join(err, files.end())
	}
	written := make(chan error, 1)
	go func() { written <- r.write() }()
	err = r.collect(ctx)
	services.Close()
	err = errors.Join(err, hide())
	tooLarge := uint64(0)
	for _, s := range r.subs {
		s.Close()
		tooLarge += s.Stats().TooLarge
	}
	r.logMissingTopics()
	r.queue.Close()
	err = errors.Join(err, <-written, files.end())
	r.log.Info().Uint64("messages", files.messages).Uint64("dropped", r.dropped.Load()).Uint64("lost", r.missing()).
		Strs("bags", files.totals().Paths).Msg("recorded")
	return errors.Join(err, r.losses(tooLarge))
}

func (r *topicRecorder) losses(tooLarge uint64) (err error) {
	lost := func(format string, args ...any) {
		err = errors.Join(err, fmt.Errorf("%w: "+format, append([]any{program.ErrIncomplete}, args...)...))
	}
	if n := r.dropped.Load(); n > 0 {
		lost("%d messages were dropped", n)
	}
	if tooLarge > 0 {
		lost("%d messages were too large", tooLarge)
	}
	if len(r.files.left) > 0 {
		lost("a .db3 can't represent %s", r.files.left)
	}
	if len(r.leftOut) > 0 {
		lost("left out %q", slices.Sorted(maps.Keys(r.leftOut)))
	}
	return err
}

// announce publishes the path of each new file, as rosbag record --publish does.
func (r *topicRecorder) announce() error {
	p, err := r.node.Advertise(ros.PublisherOptions{Topic: "begin_write", Type: msgs.MustType("std_msgs/String"), Latch: true})
	if err != nil {
		return err
	}
	r.files.opened = func(path string) { p.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: path})}) }
	return nil
}

// tickEvery is how often limits and checkpoints are checked.
const tickEvery = time.Second / 4

// collect subscribes to topics as they appear until recording should end.
func (r *topicRecorder) collect(ctx context.Context) error {
	for _, name := range r.want.fixed {
		if err := r.subscribe(name); err != nil {
			return err
		}
	}
	r.publishStatus()
	found, stop := r.discover(ctx)
	defer stop()
	tick, second := time.NewTicker(tickEvery), time.NewTicker(time.Second)
	defer tick.Stop()
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.node.Done():
			return nil
		case <-r.files.done():
			return nil
		case topics := <-found:
			r.subscribeAll(topics)
		case now := <-tick.C:
			r.triggers.tick(now)
			r.queue.Push(nil, topicMessage{time: bagstore.TimeOf(r.node.Now()), host: now}, eventSize)
		case now := <-second.C:
			r.measure(now)
			r.logMissing()
			r.publishStatus()
		}
	}
}

// discover asks the master for selected topics once a second, in its own goroutine, so that
// a master that hangs delays neither limits nor shutdown. stop waits for the goroutine.
func (r *topicRecorder) discover(ctx context.Context) (found <-chan []string, stop func()) {
	if !r.want.polls {
		return nil, func() {}
	}
	topics := make(chan []string)
	return topics, work.Run(ctx, func(ctx context.Context) {
		ask := func(time.Time) {
			select {
			case topics <- r.wanted(ctx):
			case <-ctx.Done():
			}
		}
		ask(time.Now())
		work.Every(ctx, time.Second, ask)
	})
}

// wanted ignores errors, because the master is asked again a second later.
func (r *topicRecorder) wanted(ctx context.Context) []string {
	topics, err := r.node.PublishedTopics(ctx)
	if err != nil {
		r.log.Debug().Err(err).Msg("ask the master for topics")
	}
	topics = slices.DeleteFunc(topics, func(name string) bool { return !r.want.match(name) || name == r.status.Topic() })
	if r.opts.Node == "" {
		return topics
	}
	theirs, err := r.node.SubscribedTopics(ctx, r.opts.Node)
	if err != nil {
		r.log.Debug().Err(err).Str("node", r.opts.Node).Msg("ask the master for a node's topics")
	}
	return append(topics, slices.DeleteFunc(theirs, r.want.excluded)...)
}

// subscribeAll leaves out, and logs once, topics whose names ROS refuses.
func (r *topicRecorder) subscribeAll(topics []string) {
	for _, name := range topics {
		if _, have := r.subs[name]; have || r.leftOut[name] {
			continue
		}
		err := r.subscribe(name)
		if refused := new(names.Error); errors.As(err, &refused) {
			r.leftOut[name] = true
			r.log.Warn().Err(err).Msg("a topic is left out")
		}
	}
}

func (r *topicRecorder) subscribe(name string) error {
	f := r.thin.flow(name)
	s, err := r.node.Subscribe(ros.SubscriberOptions{Topic: name, NoDelay: r.opts.NoDelay, MaxMessage: r.opts.QueueBytes, Budget: r.budget}, func(m ros.Received) {
		r.take(name, f, m)
	})
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", name, err)
	}
	r.mu.Lock()
	f.subscriber = s
	r.flows[name] = f
	f.run(!r.paused.Load())
	r.mu.Unlock()
	r.subs[name] = s
	r.log.Info().Str("topic", name).Msg("subscribing")
	return nil
}

// take queues a message. It runs on the connection's goroutine.
func (r *topicRecorder) take(name string, f *flow, m ros.Received) {
	r.triggers.heard(name)
	if r.paused.Load() {
		return
	}
	at := bagstore.TimeOf(r.node.Now())
	ok, full := f.passes(int64(at))
	if full {
		r.checkFull(f)
	}
	if ok {
		f.meter.add(len(m.Data))
		r.queue.Push(f, topicMessage{topic: name, flow: f, header: m.Header, time: at, stamp: r.stamp(m, at), buffer: m.Retain()}, int64(len(m.Data))+eventSize)
	}
	if r.opts.Ring.Before > 0 {
		r.triggers.message(name, m, at)
	}
}

// stamp returns the record time of a message that arrives at a time.
func (r *topicRecorder) stamp(m ros.Received, at bagstore.Time) bagstore.Time {
	if r.opts.Time != "stamp" {
		return at
	}
	if spec := r.types.of(m.Header); spec != nil {
		if t, ok := spec.Stamp(m.Data); ok && t > 0 {
			return bagstore.Time(t)
		}
	}
	return at
}

// trigger keeps the ring, with what is in the queue before it. It may be called from any goroutine.
func (r *topicRecorder) trigger(why string) {
	r.log.Debug().Str("by", why).Msg("trigger")
	at := time.Now()
	r.files.announce(at)
	r.queue.Push(nil, topicMessage{time: bagstore.TimeOf(r.node.Now()), host: at, trigger: true}, eventSize)
}

// checkFull ends the recording when every named topic has reached the limit, as this one has.
func (r *topicRecorder) checkFull(f *flow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.subscriber != nil {
		f.run(false)
	}
	if len(r.flows) < len(r.want.fixed) || r.want.polls {
		return
	}
	for _, f := range r.flows {
		if !f.full() {
			return
		}
	}
	r.files.finish()
}

func (r *topicRecorder) drop(m topicMessage) {
	if m.buffer == nil {
		if m.trigger {
			r.missed.Store(true)
		}
		return
	}
	m.flow.meter.drop(len(m.buffer.Bytes()))
	m.buffer.Release()
	m.flow.drops.add(m.time)
	n := r.dropped.Add(1)
	if r.dropLog.Sample(zerolog.WarnLevel) {
		why := "the disk can't keep up: messages are dropped"
		if r.space.low.Load() {
			why = "the disk is nearly full, or too much waits for upload: messages are dropped"
		}
		r.log.Warn().Uint64("dropped", n).Str("topic", m.topic).Msg(why)
	}
}

// write continues after an error: it drops and counts the remaining messages.
func (r *topicRecorder) write() error {
	var failed error
	for {
		m, ok := r.queue.Pop()
		if !ok && failed == nil {
			return r.writeDrops(bagstore.TimeOf(r.node.Now()))
		}
		if !ok {
			return failed
		}
		if failed != nil {
			r.drop(m)
			continue
		}
		err := r.writeOne(m)
		if errors.Is(err, bagstore.ErrGone) {
			if err = r.files.goOn(err); err == nil {
				err = r.writeOne(m)
			}
		}
		if err != nil {
			failed = fmt.Errorf("recording stopped: %w", err)
			r.log.Error().Err(err).Msg("recording stopped")
			r.files.leaveRing()
			r.files.finish()
			r.drop(m)
		}
	}
}

func (r *topicRecorder) writeOne(m topicMessage) error {
	if r.space.check(r.files.cur.final, m.size(), time.Now()) {
		r.space.log(r.log, "messages")
	}
	if m.buffer == nil {
		if m.mark != "" {
			if err := r.files.note(info.MarksTopic, info.MarksType, r.node.Name(), m.time, &msgs.String{Data: m.mark}); err != nil {
				return err
			}
		}
		if err := r.files.tick(m, r.missed.Swap(false)); err != nil {
			return err
		}
		if !r.space.low.Load() {
			if err := r.writeDrops(m.time); err != nil {
				return err
			}
		}
		return r.files.cur.CheckpointIfDue()
	}
	if r.space.low.Load() {
		r.drop(m)
		return nil
	}
	err := r.files.write(m)
	if err == nil {
		m.buffer.Release()
	}
	return err
}

// show lets the options' Show see the recording.
func (r *topicRecorder) show(running *TopicRecording) (hide func() error, err error) {
	if r.opts.Show == nil {
		return func() error { return nil }, nil
	}
	return r.opts.Show(r.node, running)
}
