package bridge

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"rsros/bagstore"
	"rsros/msgs"
	"rsros/msgs/ros2"
	"rsros/program"
	"rsros/program/work"
	"rsros/ros"
	"rsros/ros/graph"
	dds "rsros/ros2"
)

// CarryOptions select what Carry carries.
type CarryOptions struct {
	ROS    graph.Config
	Master graph.Mode `setting:"master"`

	Names   []string // of topics and services; expressions with Regex
	All     bool     `setting:"all"`
	Regex   bool     `setting:"regex"`
	Exclude []string `setting:"exclude"`

	Log zerolog.Logger
}

// Carry carries topics, and services of std_srvs, of other nodes between ROS 1 and ROS 2, both ways, until ctx or the
// node ends. A topic is subscribed to while it has subscribers in the other ROS, or always if its messages are kept for
// late subscribers. What a bridge brought isn't carried on.
//
// The error wraps program.ErrUsage if a name, an expression or an environment variable is invalid.
func Carry(ctx context.Context, o CarryOptions) (err error) {
	b := &carrier{log: o.Log.With().Str("component", "bridge").Logger(), id: rand.Text(), change: work.NewSignal(),
		toROS2: map[string]*topic{}, toROS1: map[string]*inbound{}, services: map[string]*served{},
		refused: map[string]string{},
		since:   map[string]time.Time{}}
	o.ROS.Fields = ros.Header{mark: b.id}
	join := graph.JoinOptions{ROS: o.ROS, Master: o.Master, Name: "bridge", Unique: true, Log: o.Log}
	if b.one, err = graph.Join(ctx, join); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.one.Close()) }()
	if b.wanted, err = o.selection(b.one.Resolve); err != nil {
		return fmt.Errorf("%w: %w", program.ErrUsage, err)
	}
	name := b.one.Name()
	b.two, err = JoinNode(ctx, dds.Config{
		Name: path.Base(name), Namespace: path.Dir(name), UserData: mark + "=" + b.id + ";", Log: b.log,
	})
	if err != nil {
		return err
	}
	ctx, cancel := b.one.UntilDone(ctx)
	defer cancel()
	nodeOf := func(e endpoint) string { return e.uri }
	b.publications = work.NewAnswers(ctx, b.change.Set, nodeOf,
		func(ctx context.Context, e endpoint) (ros.Publication, error) {
			return b.one.ProbeTopic(ctx, e.uri, e.name)
		})
	b.providers = work.NewAnswers(ctx, b.change.Set, nodeOf, func(ctx context.Context, e endpoint) (string, error) {
		typ, _, err := b.one.ProbeService(ctx, e.name)
		return typ, err
	})
	b.mappings = work.NewAnswers(ctx, b.change.Set, func(t typeOf) string { return t.node }, b.mapping)
	defer b.two.OnChange(b.change.Set)()
	b.run(ctx)
	b.close()
	return nil
}

// mark is the key by which bridges tell each other from other nodes: a field of connection headers in ROS 1, and in the
// user data of endpoints in ROS 2. Its value is the bridge's id.
const mark = "rs_bridge"

// selection returns which names are carried.
func (o *CarryOptions) selection(resolve func(string) (string, error)) (func(string) bool, error) {
	exclude, err := bagstore.ParsePatterns(o.Exclude)
	if err != nil {
		return nil, err
	}
	var patterns bagstore.Patterns
	names := map[string]bool{}
	if o.Regex {
		if patterns, err = bagstore.ParsePatterns(o.Names); err != nil {
			return nil, err
		}
	} else {
		for _, name := range o.Names {
			if name, err = resolve(name); err != nil {
				return nil, err
			}
			names[name] = true
		}
	}
	return func(name string) bool {
		all := o.All && !slices.Contains(ownTopics, name) && !strings.Contains(name, "/_action/")
		return (all || names[name] || patterns.Match(name)) && !exclude.Match(name)
	}, nil
}

// ownTopics belong to each ROS itself. They are carried if they are named.
var ownTopics = []string{"/rosout", "/rosout_agg", "/parameter_events"}

// carrier is the node of a bridge in both graphs. Its fields belong to the goroutine of run.
type carrier struct {
	log    zerolog.Logger
	one    *graph.Node
	two    *dds.Node
	id     string // random
	wanted func(name string) bool
	change work.Signal

	publications *work.Answers[endpoint, ros.Publication] // in ROS 1
	providers    *work.Answers[endpoint, string]          // types of services in ROS 1
	mappings     *work.Answers[typeOf, *ros2.Mapping]     // of types in ROS 2

	toROS2   map[string]*topic
	toROS1   map[string]*inbound
	services map[string]*served
	refused  map[string]string    // why something isn't carried, as it was said
	since    map[string]time.Time // when something could be carried that another bridge may carry

	state // of this round
}

// state is what both graphs have.
type state struct {
	ros1   graph.Addressed
	ros2   *dds.Graph
	others map[string]bool // ids of bridges between the same graphs that carry what this one would carry, too
}

// endpoint is a topic or a service of the node at a URI.
type endpoint struct{ uri, name string }

// typeOf is a type of a node in ROS 2.
type typeOf struct{ node, name, hash string }

// settle is the time in which changes of a graph are taken together.
const settle = 50 * time.Millisecond

// run keeps what is carried in line with both graphs until ctx ends.
func (b *carrier) run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for pause := discovery; ; pause = settle {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		b.reconcile(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-b.change:
		}
	}
}

func (b *carrier) reconcile(ctx context.Context) {
	var err error
	if b.ros1, err = b.one.Addressed(ctx); err != nil {
		b.log.Debug().Err(err).Msg("the master doesn't answer")
		return
	}
	delete(b.ros1.Addresses, b.one.Name())
	b.ros2 = b.two.Graph()
	if !b.findBridges() {
		return
	}
	b.carryToROS2()
	b.carryToROS1()
	b.carryServices()
	b.publications.Sweep()
	b.providers.Sweep()
	b.mappings.Sweep()
}

// findBridges finds the other bridges that are in both graphs and come first, by their ids. It reports false while a
// node hasn't answered.
func (b *carrier) findBridges() bool {
	there := map[string]bool{}
	for _, e := range b.ros2.Endpoints {
		there[markOf(&e)] = true
	}
	b.others = map[string]bool{}
	complete := true
	for node, uri := range b.ros1.Addresses {
		if !slices.Contains(b.ros1.Publishers["/rosout"], node) {
			continue
		}
		p, err, ok := b.publications.Get(endpoint{uri, "/rosout"})
		if id := p.Header[mark]; err == nil && id != "" && id < b.id && there[id] {
			b.others[id] = true
		}
		complete = complete && ok
	}
	return complete
}

// precedence is the time that a bridge which comes first has to carry something.
const precedence = 2 * time.Second

// mayBegin reports whether this bridge may carry what no other one carries.
func (b *carrier) mayBegin(kind, name, where string) bool {
	if len(b.others) == 0 {
		return true
	}
	key := kind + " " + name + " " + where
	if b.since[key].IsZero() {
		b.since[key] = time.Now()
	}
	return time.Since(b.since[key]) > precedence
}

// leaveToOther notes that another bridge carries something.
func (b *carrier) leaveToOther(kind, name, where string) { delete(b.since, kind+" "+name+" "+where) }

func markOf(e *dds.EndpointInfo) string {
	_, rest, _ := strings.Cut(e.UserData, mark+"=")
	id, _, _ := strings.Cut(rest, ";")
	return id
}

// carryToROS2 publishes the topics of other nodes in ROS 1 in ROS 2.
func (b *carrier) carryToROS2() {
	there := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(b.ros1.Publishers)) {
		if !b.wanted(name) {
			continue
		}
		p, err, pending := b.published(name, b.ros1.Publishers[name])
		t := b.toROS2[name]
		if there[name] = pending && t != nil; pending || p == nil && err == nil {
			continue
		}
		if t != nil && p != nil && (t.md5 != p.Type.MD5 || t.latched != p.Latched) {
			b.leave(t)
			t = nil
		}
		there[name] = true
		if t == nil && err == nil && !strings.HasPrefix(p.Type.Name, "dynamic_reconfigure/") &&
			b.mayBegin("topic", name, "to ROS 2") {
			t, err = openTopic(b.two, allowed(name), *p, qosOf(nil, name, *p), b.change.Set, b.subscribe, b.log)
		}
		if t == nil {
			delete(b.toROS2, name)
		} else if b.toROS2[name] != t {
			b.toROS2[name] = t
			b.log.Info().Str("topic", name).Str("type", p.Type.Name).Msg("carried to ROS 2")
		}
		b.refuse("topic", name, "to ROS 2", err)
		t.follow()
	}
	for name, t := range b.toROS2 {
		if !there[name] {
			b.leave(t)
			b.log.Info().Str("topic", name).Msg("no longer carried to ROS 2")
			delete(b.toROS2, name)
		}
	}
}

// queue is how many messages of a topic wait for a slow subscriber.
const queue = 100

// published returns what other nodes than bridges publish on a topic of ROS 1: nil if that is nothing or another bridge
// carries it, and pending if their answers aren't there.
func (b *carrier) published(name string, nodes []string) (p *ros.Publication, err error, pending bool) {
	brought := func(e dds.EndpointInfo) bool { return b.others[markOf(&e)] }
	if slices.ContainsFunc(b.ros2.Publishers(allowed(name)), brought) {
		b.leaveToOther("topic", name, "to ROS 2")
		return nil, nil, false
	}
	for _, node := range nodes {
		if node == b.one.Name() {
			continue
		}
		one, failed, ok := b.publications.Get(endpoint{b.ros1.Addresses[node], name})
		switch {
		case !ok:
			pending = true
		case failed != nil:
			err = failed
		case one.Header[mark] != "":
		case p == nil:
			if known, ok := msgs.Lookup(one.Type.Name); ok && one.Type.Definition == "" && known.MD5 == one.Type.MD5 {
				one.Type = known // some publishers send no definition
			}
			one.Queue, p = queue, &one
		default:
			p.Latched = p.Latched || one.Latched
		}
	}
	if p != nil {
		return p, nil, false
	}
	return nil, err, pending
}

// subscribe publishes what other nodes publish in ROS 1.
func (b *carrier) subscribe(t *topic) (stop func(), err error) {
	s, err := b.one.Subscribe(ros.SubscriberOptions{Topic: t.name, Others: true, NoDelay: true}, func(r ros.Received) {
		if r.Header[mark] == "" {
			t.receive(r)
		}
	})
	if err != nil {
		return nil, err
	}
	return s.Close, nil
}

// leave closes a topic and says what its subscribers lost.
func (b *carrier) leave(t *topic) {
	for _, l := range t.losses() {
		b.sayLost(l)
	}
	t.close()
}

func (b *carrier) sayLost(l Loss) {
	b.log.Warn().Str("topic", l.Topic).Str("subscriber", l.Subscriber).Uint64("lost", l.Messages).
		Msg("a slow subscriber lost messages")
}

// refuse says once why something isn't carried.
func (b *carrier) refuse(kind, name, where string, err error) {
	why := ""
	if err != nil {
		why = err.Error()
	}
	key := kind + " " + name + " " + where
	if b.refused[key] != why && why != "" {
		b.log.Warn().Str(kind, name).Msg("not carried " + where + ": " + why)
	}
	b.refused[key] = why
}

// close ends everything, and waits.
func (b *carrier) close() {
	for _, t := range b.toROS2 {
		b.leave(t)
	}
	for _, t := range b.toROS1 {
		b.withdraw(t)
	}
	for _, s := range b.services {
		s.close()
	}
	b.two.Close()
	b.publications.Wait()
	b.providers.Wait()
	b.mappings.Wait()
}
