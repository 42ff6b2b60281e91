package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/program"
	"rsros/program/work"
	"rsros/record/duplicates"
	"rsros/record/source"
	"rsros/record/topicfile"
	"rsros/record/upload"
	"rsros/ros"
	"rsros/ros/graph"
	"rsros/ros/names"
)

// Topics records topics into files until ctx or the node ends or a limit is reached. The error wraps program.ErrUsage
// for invalid settings, and program.ErrIncomplete if messages were lost.
func Topics(ctx context.Context, o Options) (err error) {
	if err := o.completeTopics(); err != nil {
		return err
	}
	defer program.BoundGarbage(o.Memory)()
	join := o.Join
	if join == nil {
		join = joinROS1
	}
	n, topics, leave, err := join(ctx,
		graph.JoinOptions{ROS: o.ROS, Master: o.Master, Name: "record", Unique: true, Log: o.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	want, err := newTopicFilter(o, n.Resolve)
	if err != nil {
		return err
	}
	if o.Uploads, err = upload.Start(o.Upload, o.Log, o.folder()); err != nil {
		return err
	}
	defer o.Uploads.Close()
	r := &topicRecorder{Recording: newRecording(o, n.Node, o.Log), node: n, want: want, refused: map[string]bool{},
		left: bagstore.Losses{}}
	r.graph = topics
	if r.thin, err = o.Thinning.parse(n.Resolve); err != nil {
		return err
	}
	if !want.polls {
		r.expected = len(want.fixed)
	}
	if r.triggers, err = newTriggers(o.Triggers, &r.types, n.Resolve, o.Log, r.trigger); err != nil {
		return err
	}
	return r.run(ctx)
}

// joinROS1 is Options.Join of ROS 1.
func joinROS1(ctx context.Context, o graph.JoinOptions) (*graph.Node, source.Graph, func() error, error) {
	n, err := graph.Join(ctx, o)
	if err != nil {
		return nil, nil, nil, err
	}
	return n, source.ROS1{Node: n}, n.Close, nil
}

// topicRecorder subscribes a Recording to topics as they appear in the graph.
type topicRecorder struct {
	*Recording
	node *graph.Node
	want topicFilter

	refused       map[string]bool // topics that can't be subscribed to; of discover's goroutine, read after the end
	left          bagstore.Losses // read after the end
	statusTopic   *ros.Publisher
	loggedMissing uint64 // number of missing messages that was last logged
	loggedMethod  string // how files are written

	// Numbers of published topics that belong to the goroutine of discover.
	seen, advised int
}

func (r *topicRecorder) run(ctx context.Context) error {
	if err := waitForTime(ctx, r.node, r.o.MaxTime > 0 || r.o.TotalTime > 0, r.log); err != nil {
		return nil // ended before there was anything to record
	}
	opened, err := r.advertise()
	if err != nil {
		return err
	}
	files, err := newTopicSeries(r.o, r.budget, r.node.Now, r.left, r.log)
	if err != nil {
		return err
	}
	files.opened = opened
	if err := r.begin(files, r.report); err != nil {
		return err
	}
	err = r.collect(ctx)
	f, closeErr := r.close()
	err = errors.Join(err, closeErr)
	r.logMissingTopics()
	if method := files.cur.WriteMethod(); method != r.loggedMethod {
		r.log.Warn().Str("bag", files.cur.path).Str("written", method).Msg("writing switched to another method")
	}
	r.logClosing(f)
	return errors.Join(err, r.losses(f))
}

// newTopicSeries returns the files of a recording of topics in the time of now. As with rosbag record, one file at a
// time is active.
func newTopicSeries(o Options, budget *work.Budget, now func() time.Time, left bagstore.Losses, log zerolog.Logger) (
	*series, error) {
	s, err := newSeries(o, o.base(time.Now()), o.ext(), budget, log)
	ids := topicfile.IDs{}
	s.now, s.create = now, func(path string, bag bagstore.Options) (*part, error) {
		return createTopics(path, topicfile.Options{Bag: bag, ROS2: o.ROS2(), Left: left, IDs: ids})
	}
	return s, err
}

func (r *topicRecorder) losses(f Figures) (err error) {
	lost := func(format string, args ...any) {
		err = errors.Join(err, fmt.Errorf("%w: "+format, append([]any{program.ErrIncomplete}, args...)...))
	}
	if n := f.Losses.total().Messages - f.Losses[unfit].Messages; n > 0 {
		lost("%d messages were lost", n)
	}
	if n := r.missing(); n > 0 && r.o.ROS2() { // in ROS 1, gaps in header.seq are no proof
		lost("%d %s", n, r.lostBefore())
	}
	if f.TooLarge > 0 {
		lost("%d messages were too large", f.TooLarge)
	}
	if len(f.Unreached) > 0 {
		lost("%s", unreached(f.Unreached))
	}
	if len(r.left) > 0 {
		lost("a %s can't represent %s", r.o.ext(), r.left)
	}
	if len(r.refused) > 0 {
		lost("left out %q", slices.Sorted(maps.Keys(r.refused)))
	}
	if err == nil && f.Err == nil && f.Ring == "" && f.Messages == 0 {
		lost("no message came")
	}
	return err
}

// advertise advertises ~status, which isn't recorded. opened logs a new file and, as rosbag record --publish does,
// publishes its path.
func (r *topicRecorder) advertise() (opened func(*part), err error) {
	latched := func(topic, typ string) (*ros.Publisher, error) {
		return r.node.Advertise(ros.PublisherOptions{Topic: topic, Type: msgs.MustType(typ), Latch: true})
	}
	var paths *ros.Publisher
	if r.o.Publish {
		if paths, err = latched("begin_write", "std_msgs/String"); err != nil {
			return nil, err
		}
	}
	r.statusTopic, err = latched("~status", "diagnostic_msgs/DiagnosticStatus")
	return func(p *part) {
		r.logFile(p)
		if paths != nil {
			paths.Publish(msgs.Raw{Head: msgs.Marshal(&msgs.String{Data: p.path})})
		}
	}, err
}

// logFile logs a new file, and how it is written if that differs from the last one.
func (r *topicRecorder) logFile(p *part) {
	line := r.log.Info()
	if r.files.ring != nil && r.files.made > 1 {
		line = r.log.Debug()
	}
	line = line.Str("bag", p.path)
	if method := p.WriteMethod(); method != r.loggedMethod {
		r.loggedMethod = method
		line = line.Str("written", method)
	}
	line.Msg("recording")
}

// collect offers the recording's control and subscribes to topics as they appear, until recording should end.
func (r *topicRecorder) collect(ctx context.Context) (err error) {
	services, err := graph.Offer(r.node.Node, r.services()...)
	if err != nil {
		return err
	}
	defer services.Close()
	if r.o.Show != nil {
		hide, err := r.o.Show(r.node, r.Recording)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, hide()) }()
	}
	for _, name := range r.want.fixed {
		if err := r.subscribe(name); err != nil {
			return err
		}
	}
	r.publishStatus()
	defer work.Run(ctx, r.discover)()
	select {
	case <-ctx.Done():
	case <-r.node.Done():
	case <-r.full:
	}
	return nil
}

// report tells what has changed since the last call.
func (r *topicRecorder) report() {
	if n := r.missing(); n != r.loggedMissing {
		text := r.lostBefore()
		if full := r.gaps(); r.neck.once(aboutGaps, full) {
			text = full
		}
		r.log.Warn().Uint64("lost", n).Msg(text)
		r.loggedMissing = n
	}
	r.publishStatus()
}

// adviseDuplicates says once which of the topics have the same images as others. It waits until there are no new
// topics.
func (r *topicRecorder) adviseDuplicates(ctx context.Context, topics []string) {
	settled := len(topics) == r.seen
	if r.seen = len(topics); !settled || r.seen == r.advised {
		return
	}
	graph, err := r.node.Topology(ctx)
	if err != nil || r.o.ROS2() {
		return // asked again a second later
	}
	r.advised = r.seen
	var list []duplicates.Topic
	for _, name := range topics {
		list = append(list, duplicates.Topic{Name: name, Type: graph.Types[name], Nodes: graph.Publishers[name]})
	}
	if d := duplicates.Find(list); d.Exclude != "" && r.neck.once(aboutDuplicates, d.String()) {
		r.neck.exclude.Store(d.Exclude)
		r.log.Warn().Msg(d.String())
	}
}

func (r *topicRecorder) publishStatus() {
	s := r.Status()
	r.statusTopic.Publish(msgs.Raw{Head: msgs.Marshal(&s)})
}

func (r *topicRecorder) logMissingTopics() {
	for _, t := range r.subscribed() {
		if n := t.missing(); n > 0 {
			line := r.log.Warn().Str("topic", t.name).Uint64("lost", n)
			if of := t.subscriber.Missing(); of != nil {
				line = line.Interface("of", of)
			}
			line.Msg(r.lostBefore())
		}
	}
}

// discover asks the master for selected topics once a second, and subscribes to them. It has its own goroutine, so that
// a master that hangs delays neither limits nor shutdown.
func (r *topicRecorder) discover(ctx context.Context) {
	if !r.want.polls {
		return
	}
	ask := func(time.Time) { r.subscribeAll(r.wanted(ctx)) }
	ask(time.Now())
	work.Every(ctx, time.Second, ask)
}

// wanted ignores errors, because the master is asked again a second later.
func (r *topicRecorder) wanted(ctx context.Context) []string {
	published, err := r.graph.Topics(ctx, len(r.want.types) > 0)
	if err != nil {
		r.log.Debug().Err(err).Msg("ask for topics")
	}
	var topics []string
	for name, typ := range published {
		if r.want.match(name, typ) && name != r.statusTopic.Topic() {
			topics = append(topics, name)
		}
	}
	slices.Sort(topics)
	r.adviseDuplicates(ctx, topics)
	if r.o.Node == "" {
		return topics
	}
	theirs, err := r.graph.SubscribedTopics(ctx, r.o.Node)
	if err != nil {
		r.log.Debug().Err(err).Str("node", r.o.Node).Msg("ask for a node's topics")
	}
	return append(topics, slices.DeleteFunc(theirs, r.want.exclude.Match)...)
}

// subscribeAll leaves out, and logs once, topics whose names ROS refuses.
func (r *topicRecorder) subscribeAll(topics []string) {
	for _, name := range topics {
		if r.has(name) || r.refused[name] {
			continue
		}
		err := r.subscribe(name)
		if bad := new(names.Error); errors.As(err, &bad) {
			r.refused[name] = true
			r.log.Warn().Err(err).Msg("a topic is left out")
		}
	}
}

func (r *topicRecorder) subscribe(name string) error {
	err := r.Recording.subscribe(name, slices.Contains(r.want.fixed, name))
	if err == nil {
		r.log.Info().Str("topic", name).Msg("subscribing")
	}
	return err
}
