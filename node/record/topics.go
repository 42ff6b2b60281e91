package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/node/graph"
	"rsros/node/ros"
	"rsros/node/ros/names"
	"rsros/program"
)

// TopicOptions are the settings of Record, which mean what rosbag record's do.
type TopicOptions struct {
	Topics  []string // names, or regular expressions (full match) with Regex
	All     bool     // every topic
	Regex   bool
	Exclude string // regular expression of topics to leave out

	Output     string        // path of the bag; numbered when split
	Prefix     string        // path before the time stamp, if Output is empty
	Split      bool          // start a new file at MaxSize or MaxTime instead of ending
	MaxSize    int64         // bytes; 0 is no limit
	MaxTime    time.Duration // 0 is no limit
	MaxSplits  int           // keep only the newest files of this run; 0 keeps all
	Limit      int           // messages of each topic; 0 is no limit
	QueueBytes int64         // what may wait for the disk; 0 is no bound
	Latched    bool          // begin each file of a split with the newest latched messages
	NoDelay    bool
	Bag        bagstore.Options

	ROS    graph.Config // the name defaults to record_ and a unique end, as rosbag's
	Master graph.Mode   // default ros
	Log    zerolog.Logger
}

func (o *TopicOptions) check() error {
	switch {
	case len(o.Topics) == 0 && !o.All:
		return fmt.Errorf("%w: name topics to record, or use --all", program.ErrUsage)
	case o.Split && o.MaxSize == 0 && o.MaxTime == 0:
		return fmt.Errorf("%w: --split needs --size or --duration", program.ErrUsage)
	case o.Limit > 0 && o.All:
		return fmt.Errorf("%w: --limit goes with named topics, not with --all", program.ErrUsage)
	}
	return nil
}

// Topics writes topics into bags until ctx or the node ends, or a limit is
// reached. ErrIncomplete means that messages were lost on the way to the disk.
func Topics(ctx context.Context, o TopicOptions) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	want, err := newTopicFilter(o)
	if err != nil {
		return err
	}
	n, err := graph.Join(ctx, graph.JoinOptions{ROS: o.ROS, Master: o.Master, Name: "record", Unique: true, Log: o.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	r := &topicRecorder{
		opts: o, node: n, log: o.Log, want: want, subs: map[string]*ros.Subscriber{}, leftOut: map[string]bool{},
		full: make(chan struct{}), counts: map[string]*atomic.Int64{}, dropLog: limiter{every: time.Second},
	}
	return r.run(ctx)
}

// topicRecorder subscribes to topics as they appear and queues what they carry
// for one writing goroutine. A received message stays in the buffer it was
// received into until it is on the disk.
type topicRecorder struct {
	opts  TopicOptions
	node  *graph.Node
	log   zerolog.Logger
	want  topicFilter
	queue *byteQueue[topicMessage]
	subs  map[string]*ros.Subscriber

	leftOut map[string]bool // topics that can't be subscribed to

	mu       sync.Mutex
	counts   map[string]*atomic.Int64 // messages taken of each topic
	full     chan struct{}            // closed when every topic has reached the limit
	fullOnce sync.Once

	paused  atomic.Bool
	dropped atomic.Uint64
	dropLog limiter
}

// topicMessage is one received message on its way to the disk. Without a buffer
// it only asks whether a checkpoint is due.
type topicMessage struct {
	topic  string
	header ros.Header
	time   bagstore.Time
	buffer *ros.Buffer
}

func (r *topicRecorder) run(ctx context.Context) error {
	limit := r.opts.QueueBytes
	if limit == 0 {
		limit = 1 << 62
	}
	r.queue = newByteQueue(limit, r.drop)
	files := newTopicFiles(r.opts, r.log)
	if err := files.open(); err != nil {
		return err
	}
	services, err := graph.Offer(r.node.Node, r.services(files)...)
	if err != nil {
		return errors.Join(err, files.close())
	}
	written := make(chan error, 1)
	go func() { written <- r.write(files) }()
	err = r.collect(ctx, files.done())
	services.Close()
	tooLarge := uint64(0)
	for _, s := range r.subs {
		s.Close()
		tooLarge += s.Stats().TooLarge
	}
	r.queue.close()
	err = errors.Join(err, <-written, files.close())
	r.log.Info().Uint64("messages", files.messages).Uint64("dropped", r.dropped.Load()).Strs("bags", files.paths).Msg("recorded")
	if n := r.dropped.Load(); n > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d messages were dropped", program.ErrIncomplete, n))
	}
	if tooLarge > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d messages were too large", program.ErrIncomplete, tooLarge))
	}
	if len(r.leftOut) > 0 {
		err = errors.Join(err, fmt.Errorf("%w: left out %q", program.ErrIncomplete, slices.Sorted(maps.Keys(r.leftOut))))
	}
	return err
}

// collect subscribes to what is wanted, looks for new topics once a second, and
// returns when recording should end.
func (r *topicRecorder) collect(ctx context.Context, limit <-chan struct{}) error {
	for _, name := range r.want.fixed {
		if err := r.subscribe(name); err != nil {
			return err
		}
	}
	// What ends the recording also ends a call to a master that doesn't answer.
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer cancel()
		select {
		case <-ctx.Done():
		case <-r.node.Done():
		case <-limit:
		case <-r.full:
		}
	})
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if r.want.polls {
			if err := r.discover(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			// Topics may fall silent: what came last is made safe all the same.
			r.queue.push(topicMessage{}, 0)
		}
	}
}

// discover subscribes to topics that appeared. A master that doesn't answer is
// asked again a second later.
func (r *topicRecorder) discover(ctx context.Context) error {
	topics, err := r.node.PublishedTopics(ctx)
	if err != nil {
		r.log.Debug().Err(err).Msg("ask the master for topics")
		return nil
	}
	for _, name := range topics {
		if _, have := r.subs[name]; have || r.leftOut[name] || !r.want.match(name) {
			continue
		}
		err := r.subscribe(name)
		if refused := new(names.Error); errors.As(err, &refused) {
			r.log.Warn().Err(err).Msg("a topic is left out")
			r.leftOut[name] = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (r *topicRecorder) subscribe(name string) error {
	count := &atomic.Int64{}
	s, err := r.node.Subscribe(ros.SubscriberOptions{Topic: name, NoDelay: r.opts.NoDelay, MaxMessage: r.opts.QueueBytes}, func(m ros.Received) {
		r.take(name, count, m)
	})
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", name, err)
	}
	r.mu.Lock()
	r.counts[name] = count
	r.mu.Unlock()
	r.subs[name] = s
	r.log.Info().Str("topic", name).Msg("subscribing")
	return nil
}

// take queues one message. It runs on the connection's goroutine.
func (r *topicRecorder) take(name string, count *atomic.Int64, m ros.Received) {
	if r.paused.Load() {
		return
	}
	if limit := int64(r.opts.Limit); limit > 0 {
		n := count.Add(1)
		if n >= limit {
			r.checkFull()
		}
		if n > limit {
			return
		}
	}
	r.queue.push(topicMessage{name, m.Header, bagstore.Time(r.node.Now().UnixNano()), m.Retain()}, int64(len(m.Data))+eventSize)
}

// checkFull ends the recording when every named topic has reached the limit.
func (r *topicRecorder) checkFull() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.counts) < len(r.want.fixed) || r.want.polls {
		return
	}
	for _, c := range r.counts {
		if c.Load() < int64(r.opts.Limit) {
			return
		}
	}
	r.fullOnce.Do(func() { close(r.full) })
}

func (r *topicRecorder) drop(m topicMessage) {
	if m.buffer == nil {
		return
	}
	m.buffer.Release()
	n := r.dropped.Add(1)
	if r.dropLog.allow(time.Now()) {
		r.log.Warn().Uint64("dropped", n).Str("topic", m.topic).Msg("the disk can't keep up: messages are dropped")
	}
}

// write takes messages to the disk until the queue is closed and empty. After an
// error the rest is dropped and counted.
func (r *topicRecorder) write(files *topicFiles) error {
	var failed error
	for {
		m, ok := r.queue.pop()
		if !ok {
			return failed
		}
		if failed != nil {
			r.drop(m)
			continue
		}
		if err := r.writeOne(files, m); err != nil {
			failed = fmt.Errorf("recording stopped: %w", err)
			r.log.Error().Err(err).Msg("recording stopped")
			files.finish()
			r.drop(m)
		}
	}
}

// writeOne takes one message to the disk and gives its buffer back.
func (r *topicRecorder) writeOne(files *topicFiles, m topicMessage) error {
	if m.buffer == nil {
		return files.w.CheckpointIfDue()
	}
	err := files.write(m)
	if err == nil {
		m.buffer.Release()
	}
	return err
}

// services are what a running recorder can be asked for with stock tools.
func (r *topicRecorder) services(files *topicFiles) []graph.Service {
	return []graph.Service{
		graph.SetBool("~pause_recording", func(on bool) (string, error) {
			r.paused.Store(on)
			if on {
				return "recording is paused", nil
			}
			return "recording goes on", nil
		}),
		graph.Trigger("~split", func() (string, error) {
			files.split()
			return "the next message begins a new file", nil
		}),
		graph.Trigger("~stop_recording", func() (string, error) {
			files.finish()
			return "recording ends", nil
		}),
	}
}

// topicFilter says which topics are wanted.
type topicFilter struct {
	fixed    []string // subscribed to at once, whether published or not
	polls    bool     // others are looked for
	patterns []*regexp.Regexp
	exclude  *regexp.Regexp
}

func newTopicFilter(o TopicOptions) (topicFilter, error) {
	f := topicFilter{polls: o.All || o.Regex}
	full := func(text string) (*regexp.Regexp, error) {
		re, err := bagstore.MatchWhole(text)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", program.ErrUsage, err)
		}
		return re, nil
	}
	var err error
	if o.Exclude != "" {
		if f.exclude, err = full(o.Exclude); err != nil {
			return f, err
		}
	}
	if !o.Regex {
		f.fixed = slices.Compact(slices.Sorted(slices.Values(o.Topics)))
	}
	for _, t := range o.Topics {
		if !o.Regex {
			break
		}
		re, err := full(t)
		if err != nil {
			return f, err
		}
		f.patterns = append(f.patterns, re)
	}
	if o.All {
		f.patterns = []*regexp.Regexp{regexp.MustCompile("")}
	}
	return f, nil
}

func (f topicFilter) match(name string) bool {
	if f.exclude != nil && f.exclude.MatchString(name) {
		return false
	}
	return slices.ContainsFunc(f.patterns, func(re *regexp.Regexp) bool { return re.MatchString(name) })
}
